import { existsSync } from 'node:fs';

const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = places.find((place) => place && existsSync(place));
if (!executablePath)
  throw new Error('no Chromium is found: install Debian’s package chromium, or name one in CHROMIUM');

/**
 * Chromium launch options: the system's browser, in headless mode, with a simulated camera. It only connects to the
 * server under test.
 */
export const chromium = {
  browserName: 'chromium' as const,
  launchOptions: {
    executablePath,
    args: [
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
    ].concat(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  },
};
