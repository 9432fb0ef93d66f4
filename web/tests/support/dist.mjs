// A console built apart from the daemon: BUOYLINE_DIST names the folder that `npm run build` made. Its files are served as
// the daemon serves those it was built with, under the daemon's own content policy; everything else is the daemon's answer.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { extname, join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
const OF_THE_DAEMON = /^\/(api|ogc|readyz|healthz|metrics)(\/|$)/;

/** A port that serves the console of `folder` over the daemon at `daemon`. */
export async function serveDist(folder, daemon, port = 0) {
  const dist = resolve(folder);
  if (!existsSync(join(dist, 'index.html'))) throw new Error(`there is no index.html in ${dist}`);
  const plain = await fetch(`${daemon}/live/none`);
  const policy = plain.headers.get('content-security-policy');
  // As the daemon's build packs them.
  const PACKS = {
    br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    gzip: (bytes) => gzipSync(bytes, { level: 9 }),
  };
  const packed = new Map();
  const pack = (path, encoding) => {
    const key = `${encoding} ${path}`;
    if (!packed.has(key)) packed.set(key, PACKS[encoding](readFileSync(path)));
    return packed.get(key);
  };
  const open = new Set();
  let held_ms = () => 0;
  const server = createServer((asked, answer) => {
    const { pathname } = new URL(asked.url, daemon);
    if (OF_THE_DAEMON.test(pathname)) {
      const on = request(daemon + asked.url, { method: asked.method, headers: asked.headers }, (told) => {
        answer.writeHead(told.statusCode, told.headers);
        told.pipe(answer);
        told.on('error', () => answer.destroy());
      });
      // A daemon that is down answers nothing at all.
      on.on('error', () => answer.destroy());
      answer.on('close', () => on.destroy());
      asked.pipe(on);
      return;
    }
    const named = join(dist, pathname);
    const isFile = named.startsWith(dist) && existsSync(named) && statSync(named).isFile();
    if (!isFile && pathname.startsWith('/assets/')) return answer.writeHead(404).end();
    const path = isFile ? named : join(dist, 'index.html');
    const type = TYPES[extname(path)] ?? 'application/octet-stream';
    const reads = (encoding) => new RegExp(`\\b${encoding}\\b`).test(asked.headers['accept-encoding'] ?? '');
    const encoding = /woff2/.test(type) ? undefined : ['br', 'gzip'].find(reads);
    answer.writeHead(200, {
      'content-type': type,
      'content-security-policy': policy,
      'cache-control': pathname.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(encoding && { 'content-encoding': encoding }),
    });
    const body = encoding ? pack(path, encoding) : readFileSync(path);
    setTimeout(() => answer.end(body), held_ms(pathname, body.length));
  });
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise((done) => server.listen(port, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Has files wait: `ms_of(path, bytes)` says for how long. */
    hold(ms_of) {
      held_ms = ms_of;
    },
    /** What a daemon that stops does to those who are connected. */
    drop() {
      for (const socket of open) socket.destroy();
    },
    close() {
      this.drop();
      server.close();
    },
  };
}
