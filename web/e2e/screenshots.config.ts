import { defineConfig } from '@playwright/test';
import { chromium } from './chromium';

// The pictures of docs/console.md: one long test that furnishes a server and looks at every page in both themes.
export default defineConfig({
  testDir: 'screenshots',
  workers: 1,
  timeout: 600_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
  outputDir: '../../target/web-screenshots',
  use: {
    ...chromium,
    locale: 'en-GB',
    timezoneId: 'Asia/Tokyo',
    viewport: { width: 1280, height: 900 },
    deviceScaleFactor: 1,
  },
});
