import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

// Everything the console calls that is not its own files goes to a server that runs beside `npm run dev`.
const server = 'http://127.0.0.1:8640';
const $map = new URL('../crates/http/src/map_page', import.meta.url).pathname;
const proxied = ['/console/api', '/imageRecognition', '/route_service', '/map', '/map-assets'];

/** Puts src/before.js into the head as a classic script with a hashed name; Vite by itself bundles modules only. */
function classicScript(): Plugin {
  const source = readFileSync(new URL('./src/before.js', import.meta.url), 'utf8');
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8);
  let building = false;
  return {
    name: 'classic-script',
    configResolved(config) {
      building = config.command === 'build';
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: `assets/before-${hash}.js`, source });
    },
    transformIndexHtml() {
      const src = building ? `/console/assets/before-${hash}.js` : '/console/src/before.js';
      return [{ tag: 'script', attrs: { src }, injectTo: 'head' }];
    },
  };
}

export default defineConfig({
  base: '/console/',
  plugins: [svelte(), classicScript()],
  // $map: the viewer of the public map pages, which the explorer of the console uses as it is.
  resolve: { alias: { $: new URL('./src', import.meta.url).pathname, $map } },
  build: {
    target: 'es2022',
    // The content security policy allows neither inline scripts nor data: addresses of anything but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    fs: { allow: ['.', $map] },
    proxy: Object.fromEntries(proxied.map((path) => [path, { target: server, changeOrigin: true }])),
  },
});
