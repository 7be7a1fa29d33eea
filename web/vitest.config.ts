import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

const path = (name: string) => new URL(name, import.meta.url).pathname;

// Unit tests of functions that need neither a server nor a browser. Everything else is tested in e2e/.
export default defineConfig({
  plugins: [svelte()],
  resolve: {
    alias: {
      $: path('./src/console'),
      $map: path('./src/map'),
      $shared: path('./src/shared'),
      $sdk: path('../sdk/typescript/src'),
    },
  },
  test: { include: ['src/**/*.test.ts'], setupFiles: ['src/console/english.setup.ts'], env: { TZ: 'UTC' } },
});
