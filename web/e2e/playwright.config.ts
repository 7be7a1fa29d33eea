import { defineConfig } from '@playwright/test';
import { chromium } from './chromium';

// Runs the real binary and the system's Chromium; nothing is downloaded. Tests run one at a time because the server
// recognises pictures on the same cores.
export default defineConfig({
  testDir: 'tests',
  workers: 1,
  forbidOnly: true,
  // On a busy machine a browser may lose a race. A test that passes at the second time is reported as flaky.
  retries: process.env['CI'] ? 1 : 0,
  timeout: 90_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
  outputDir: '../../target/web-e2e',
  use: { ...chromium, locale: 'en-GB', timezoneId: 'UTC', viewport: { width: 1280, height: 800 }, trace: 'off' },
});
