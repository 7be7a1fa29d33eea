import { test as base, expect, type Page } from '@playwright/test';
import AxeBuilder from '@axe-core/playwright';

/** A page that must not log errors, violate its content security policy or send requests to other hosts. */
export const test = base.extend<{ clean: void }>({
  clean: [
    async ({ page }, use) => {
      const wrong: string[] = [];
      page.on('console', (message) => {
        // The browser logs this for every 4xx response, and some tests cause such responses.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          wrong.push(message.text());
      });
      page.on('pageerror', (error) => wrong.push(String(error)));
      page.on('request', (request) => {
        const url = new URL(request.url());
        if (/^https?:$/.test(url.protocol) && url.hostname !== '127.0.0.1') wrong.push(`asked ${url.hostname}`);
      });
      await use();
      expect(wrong, 'a page does nothing that it should not').toEqual([]);
    },
    { auto: true },
  ],
});

/** Serious accessibility violations that axe reports. */
export async function expectAccessible(page: Page): Promise<void> {
  const found = await new AxeBuilder({ page }).analyze();
  const bad = found.violations.filter((one) => one.impact === 'serious' || one.impact === 'critical');
  expect(bad.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
}

/** Fails if anything is wider than the viewport. */
export async function expectNoHorizontalScrolling(page: Page): Promise<void> {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(over, 'nothing is wider than the screen').toBeLessThanOrEqual(0);
}

export { expect };
