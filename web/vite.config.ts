import { defineConfig, loadEnv } from 'vite';

/** The daemon the development server hands API requests to; `npm run fixture` listens there too. */
const daemon = loadEnv('', '.', 'BUOYLINE_').BUOYLINE_URL ?? 'http://127.0.0.1:8090';
const from_daemon = { target: daemon, changeOrigin: false };

export default defineConfig({
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
