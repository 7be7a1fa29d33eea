import { defineConfig } from '@playwright/test';
import { chromium } from './chromium';

// The real binary, and the Chromium of the system: nothing is downloaded. One page at a time: the server recognises
// pictures on the same cores.
export default defineConfig({
  testDir: 'tests',
  workers: 1,
  forbidOnly: true,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  outputDir: '../../target/web-e2e',
  use: { ...chromium, locale: 'en-GB', timezoneId: 'UTC', viewport: { width: 1280, height: 800 }, trace: 'off' },
});
