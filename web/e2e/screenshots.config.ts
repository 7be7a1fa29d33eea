import { defineConfig } from '@playwright/test';
import { chromium } from './chromium';

// Takes the screenshots of docs/console.md: one long test that fills a server with data and visits every page in both
// themes.
export default defineConfig({
  testDir: 'screenshots',
  workers: 1,
  timeout: 1_800_000,
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
