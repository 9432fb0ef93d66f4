import { defineConfig, loadEnv, type HtmlTagDescriptor, type Plugin } from 'vite';

/** The daemon the development server hands API requests to; `npm run fixture` listens there too. */
const daemon = loadEnv('', '.', 'BUOYLINE_').BUOYLINE_URL ?? 'http://127.0.0.1:8090';
const from_daemon = { target: daemon, changeOrigin: false };

/** What the first map needs, in the order it is needed: named in the page, else each would wait for the script that asks. */
const NEEDED_FIRST: [name: RegExp, link: Record<string, string>][] = [
  [/^assets\/maplibre-[^/]*\.js$/, { rel: 'modulepreload' }],
  [/^assets\/inter-[^/]*\.woff2$/, { rel: 'preload', as: 'font', type: 'font/woff2' }],
];

function preloadTheMap(): Plugin {
  return {
    name: 'preload-the-map',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle }) =>
        NEEDED_FIRST.flatMap(([name, link]) =>
          Object.keys(bundle ?? {})
            .filter((file) => name.test(file) && !file.includes('worker'))
            .map((file): HtmlTagDescriptor => {
              return { tag: 'link', attrs: { ...link, crossorigin: true, href: `/${file}` }, injectTo: 'head' };
            }),
        ),
    },
  };
}

export default defineConfig({
  plugins: [preloadTheMap()],
  // The daemon embeds `dist/`: hashed files under /assets/, index.html for every other path.
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        // Some servers do not know `.mjs`; the map library's worker is a plain module script.
        assetFileNames: (asset) => {
          const name = asset.names?.[0] ?? '';
          return name.endsWith('.mjs') ? 'assets/[name]-[hash].js' : 'assets/[name]-[hash][extname]';
        },
      },
    },
    chunkSizeWarningLimit: 1200,
  },
  server: { proxy: { '/api/': from_daemon, '/ogc': from_daemon } },
});
