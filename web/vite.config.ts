import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

const path = (name: string) => new URL(name, import.meta.url).pathname;
const source = (name: string) => readFileSync(path(name), 'utf8');

// `npm run dev` passes everything that is not a file of the console on to a server at this address.
const server = 'http://127.0.0.1:8640';
const proxied = [
  '/console/api',
  '/imageRecognition',
  '/route_service',
  '/map',
  '/map-assets',
  '/docs',
  '/openapi.json',
];

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

/** Writes files of an environment as they are. */
function plainFiles(environment: string, files: Record<string, string>): Plugin {
  return {
    name: `${environment}-files`,
    applyToEnvironment: ({ name }) => name === environment,
    generateBundle() {
      for (const [fileName, path] of Object.entries(files)) {
        this.emitFile({ type: 'asset', fileName, source: source(path) });
      }
    },
  };
}

/** The server fills the templates of the map pages in. */
const mapFiles = plainFiles('map', {
  'page.html': './src/map/page.html',
  'list.html': './src/map/list.html',
  'icon.svg': './src/map/icon.svg',
});
const docsFiles = plainFiles('docs', { 'page.html': './src/docs/page.html', 'icon.svg': './src/console/favicon.svg' });

/** One script and one style below fixed names. */
const onePage = (name: string, input: string) => ({
  consumer: 'client' as const,
  build: {
    outDir: path(`./dist/${name}`),
    rollupOptions: { input: path(input), output: { entryFileNames: 'page.js', assetFileNames: 'page[extname]' } },
  },
});

export default defineConfig({
  root: path('./src/console'),
  base: '/console/',
  plugins: [svelte({ configFile: path('./svelte.config.js') }), classicScript(), mapFiles, docsFiles],
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
  // They share source files but no output: a proxy may publish the map pages and not the console.
  environments: {
    client: { build: { outDir: path('./dist/console') } },
    map: onePage('map', './src/map/page.ts'),
    docs: onePage('docs', './src/docs/main.ts'),
  },
  builder: {
    async buildApp(builder) {
      for (const environment of Object.values(builder.environments)) {
        if (['client', 'map', 'docs'].includes(environment.name)) await builder.build(environment);
      }
    },
  },
  server: {
    fs: { allow: [path('.'), path('../sdk')] },
    proxy: Object.fromEntries(proxied.map((path) => [path, { target: server, changeOrigin: true }])),
  },
});
