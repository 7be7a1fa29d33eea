import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

const path = (name: string) => new URL(name, import.meta.url).pathname;
const source = (name: string) => readFileSync(path(name), 'utf8');

// `npm run dev` passes everything that is not a file of the console on to a server at this address.
const server = 'http://127.0.0.1:8640';
const proxied = ['/console/api', '/imageRecognition', '/route_service', '/map', '/map-assets'];

/** Adds theme-init.js to the head of the console as a classic script with a hashed name. Vite only bundles modules. */
function classicScript(): Plugin {
  const script = source('./src/console/theme-init.js');
  const hash = createHash('sha256').update(script).digest('base64url').slice(0, 8);
  let building = false;
  return {
    name: 'classic-script',
    applyToEnvironment: ({ name }) => name === 'client',
    configResolved(config) {
      building = config.command === 'build';
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: `assets/theme-init-${hash}.js`, source: script });
    },
    transformIndexHtml() {
      const src = building ? `/console/assets/theme-init-${hash}.js` : '/console/theme-init.js';
      return [{ tag: 'script', attrs: { src }, injectTo: 'head' }];
    },
  };
}

/** Writes the HTML templates and the icon of the map pages as they are. The server fills the templates in. */
function mapFiles(): Plugin {
  return {
    name: 'map-files',
    applyToEnvironment: ({ name }) => name === 'map',
    generateBundle() {
      for (const fileName of ['page.html', 'list.html', 'icon.svg']) {
        this.emitFile({ type: 'asset', fileName, source: source(`./src/map/${fileName}`) });
      }
    },
  };
}

export default defineConfig({
  root: path('./src/console'),
  base: '/console/',
  plugins: [svelte({ configFile: path('./svelte.config.js') }), classicScript(), mapFiles()],
  resolve: {
    alias: {
      $: path('./src/console'),
      $map: path('./src/map'),
      $shared: path('./src/shared'),
      $sdk: path('../sdk/typescript/src'),
    },
  },
  build: {
    target: 'es2022',
    // The content security policy allows neither inline scripts nor data: URLs, except for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
  },
  // The two share source files but no output: a proxy may publish the map pages and not the console.
  environments: {
    client: { build: { outDir: path('./dist/console') } },
    map: {
      consumer: 'client',
      build: {
        outDir: path('./dist/map'),
        rollupOptions: {
          input: path('./src/map/page.ts'),
          output: { entryFileNames: '[name].js', assetFileNames: '[name][extname]' },
        },
      },
    },
  },
  builder: {
    async buildApp(builder) {
      for (const environment of Object.values(builder.environments)) {
        if (['client', 'map'].includes(environment.name)) await builder.build(environment);
      }
    },
  },
  server: {
    fs: { allow: [path('.'), path('../sdk')] },
    proxy: Object.fromEntries(proxied.map((path) => [path, { target: server, changeOrigin: true }])),
  },
});
