import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

const path = (name: string) => new URL(name, import.meta.url).pathname;

// `npm run dev` passes everything that is not a file of the console on to a server at this address.
const server = 'http://127.0.0.1:8640';
const $map = path('../crates/http-pages/src/map');
const proxied = ['/console/api', '/imageRecognition', '/route_service', '/map', '/map-assets'];

/** Adds before.js to the head as a classic script with a hashed name. Vite itself only bundles modules. */
function classicScript(): Plugin {
  const source = readFileSync(path('./src/console/before.js'), 'utf8');
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
      const src = building ? `/console/assets/before-${hash}.js` : '/console/before.js';
      return [{ tag: 'script', attrs: { src }, injectTo: 'head' }];
    },
  };
}

export default defineConfig({
  root: path('./src/console'),
  base: '/console/',
  plugins: [svelte({ configFile: path('./svelte.config.js') }), classicScript()],
  // $map is the viewer of the public map pages. The map explorer of the console uses the same code.
  resolve: { alias: { $: path('./src/console'), $map } },
  build: {
    outDir: path('./dist/console'),
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy allows neither inline scripts nor data: URLs, except for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    fs: { allow: [path('.'), $map] },
    proxy: Object.fromEntries(proxied.map((path) => [path, { target: server, changeOrigin: true }])),
  },
});
