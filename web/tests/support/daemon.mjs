// The real daemon on free ports, in a folder of its own, with the lake of tests/data; stopped, killed and started again.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { serveDist } from './dist.mjs';

const root = resolve(import.meta.dirname, '../../..');
const built = [
  process.env.BUOYLINE_BIN,
  process.env.CARGO_TARGET_DIR && join(process.env.CARGO_TARGET_DIR, 'debug/buoyline'),
  join(root, 'target/debug/buoyline'),
  join(root, 'target/release/buoyline'),
];
export const program = built.find((path) => path && existsSync(path));

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

/** `more`: further lines of its configuration. */
export async function startDaemon({ more = [] } = {}) {
  if (!program) throw new Error('there is no built buoyline: run `cargo build` first, or name it in BUOYLINE_BIN');
  const folder = mkdtempSync(join(tmpdir(), 'buoyline-web-'));
  const [http, mqtt] = [await freePort(), await freePort()];
  // A copy: what is published is written into the map's file.
  const zones = join(folder, 'zones');
  cpSync(join(root, 'web/tests/data'), zones, { recursive: true });
  // A copy as well: a test may change it.
  const rules = join(folder, 'spokane.toml');
  cpSync(join(root, 'config/rules/spokane.toml'), rules);
  const config = join(folder, 'buoyline.toml');
  writeFileSync(
    config,
    [
      `zones = ["${zones}"]`,
      `rules = "${rules}"`,
      '[store]',
      `path = "${join(folder, 'buoyline.db')}"`,
      '[broker]',
      `listen = "127.0.0.1:${mqtt}"`,
      '[http]',
      `listen = "127.0.0.1:${http}"`,
      ...more,
      '',
    ].join('\n'),
  );
  const daemon = { url: `http://127.0.0.1:${http}`, mqtt, folder, rules, password: null, child: null, log: '' };
  // A test that breaks leaves no daemon behind.
  process.once('exit', () => daemon.child?.kill('SIGKILL'));
  const run = async () => {
    const child = spawn(program, ['serve', '--config', config], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    daemon.child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        daemon.log += data;
      });
    for (let tries = 0; tries < 300; tries++) {
      if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}:\n${daemon.log}`);
      const isReady = await fetch(`${daemon.url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      );
      if (isReady) return;
      await new Promise((later) => setTimeout(later, 100));
    }
    throw new Error(`the daemon did not get ready:\n${daemon.log}`);
  };
  await run();
  // A console built since the daemon was; the daemon's own else.
  const dist = process.env.BUOYLINE_DIST && (await serveDist(process.env.BUOYLINE_DIST, daemon.url));
  if (dist) daemon.url = dist.url;
  daemon.password = /(?:password|Password)[^\n]*?[:\s]\s*(\S{10,})\s*$/m.exec(daemon.log)?.[1] ?? null;
  return {
    ...daemon,
    get log() {
      return daemon.log;
    },
    /** The console served apart from the daemon, where it is. */
    dist,
    /** Ends at once, as by a power cut. */
    async halt() {
      daemon.child.kill('SIGKILL');
      await new Promise((ended) => daemon.child.once('exit', ended));
      dist?.drop();
    },
    /** Begins again with what is stored. */
    resume: run,
    /** Ends at once and starts again after `pause_ms`. */
    async restart(pause_ms = 0) {
      await this.halt();
      await new Promise((later) => setTimeout(later, pause_ms));
      await run();
    },
    async stop() {
      daemon.child.kill('SIGTERM');
      await Promise.race([
        new Promise((ended) => daemon.child.once('exit', ended)),
        new Promise((later) => setTimeout(later, 5000)),
      ]);
      if (daemon.child.exitCode === null) daemon.child.kill('SIGKILL');
      dist?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** `--help` of a command, to see what this build can do. */
export const help = (...command) => spawnSync(program, [...command, '--help'], { encoding: 'utf8' }).stdout;
