// The command palette: ⌘K or Ctrl-K opens pages, applications, datasets and maps by name.
import type { Locator, Page } from '@playwright/test';
import { expect, expectAccessible, expectNoHorizontalScrolling, test } from '../test';
import { ConsoleUser, signIn } from '../users';
import { Server } from '../server';

/** Opens the palette by its key, once the page is there. */
async function openPalette(page: Page): Promise<Locator> {
  await expect(page.getByRole('button', { name: 'Search' })).toBeVisible();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('dialog').getByRole('combobox');
  await expect(field).toBeFocused();
  return field;
}

test.describe('the command palette', () => {
  let server: Server, application: { id: string; key: string };
  test.beforeAll(async () => {
    server = await Server.start();
    const user = await ConsoleUser.register(server.base, 'hana@example.org');
    application = await user.application('Ticket hall');
  });
  test.afterAll(() => server.stop());

  test('opens a page by keyboard alone, and returns the focus when it is closed', async ({ page }) => {
    await signIn(page, server.base, 'hana@example.org');
    const opener = page.getByRole('button', { name: 'Search' });
    await opener.focus();
    const field = await openPalette(page);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(opener).toBeFocused();

    await page.keyboard.press('Control+k');
    await field.fill('feed');
    await expect(page.getByRole('dialog').getByRole('option', { selected: true })).toContainText('Feedback');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/console\/feedback$/);
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  });

  test('finds applications and maps, and moves with the arrow keys', async ({ page }) => {
    await signIn(page, server.base, 'hana@example.org');
    const field = await openPalette(page);
    const options = page.getByRole('dialog').getByRole('option');
    await expect(options.filter({ hasText: 'Ticket hall' })).toHaveCount(1);
    await expect(options.filter({ hasText: /Map\s*$/ }), 'the built-in maps').toHaveCount(3);
    await field.press('ArrowDown');
    await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true');
    await field.press('ArrowUp');
    await field.press('ArrowUp');
    await expect(options.last()).toHaveAttribute('aria-selected', 'true');
    await expect(field).toHaveAttribute('aria-activedescendant', (await options.last().getAttribute('id'))!);

    await field.fill('ticket');
    await options.filter({ hasText: 'Ticket hall' }).click();
    await expect(page).toHaveURL(`${server.base}/console/applications/${application.id}`);
    await (await openPalette(page)).fill('tokyo');
    await expect(options.first()).toContainText('Map');
    await field.press('Enter');
    await expect(page).toHaveURL(/\/console\/maps\/tokyo/);
    await (await openPalette(page)).fill('no such thing');
    await expect(page.getByRole('dialog').getByRole('status')).toHaveText('Nothing matches “no such thing”.');
  });

  test('finds a dataset of the user', async ({ page }) => {
    const at = '2026-11-15T09:30:00Z';
    const progress = {
      denied: 0,
      done: 0,
      failed: 0,
      fetched: 0,
      notAnImage: 0,
      notFound: 0,
      overQuota: 0,
      pending: 0,
      timedOut: 0,
      tooLarge: 0,
      total: 0,
    };
    const dataset = { dataSetId: 'dts_1', name: 'Cups and glasses', state: 'ready', model: 'general', progress };
    const json = { dataSets: [{ ...dataset, since: at, createdAt: at }] };
    await page.route('**/userCategory/listDataSets*', (route) => route.fulfill({ json }));
    await signIn(page, server.base, 'hana@example.org');
    await (await openPalette(page)).fill('cups');
    await expect(page.getByRole('dialog').getByRole('option', { name: /Cups and glasses/ })).toBeVisible();
  });

  for (const scheme of ['light', 'dark'] as const) {
    test(`is accessible on a phone in Japanese, ${scheme}`, async ({ page }) => {
      await signIn(page, server.base, 'hana@example.org');
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width: 390, height: 800 });
      await page.evaluate(() => localStorage.setItem('kaisatsu.language', 'ja'));
      await page.reload();
      await page.getByRole('button', { name: '検索' }).click();
      await page.getByRole('dialog').getByRole('combobox').fill('アプリ');
      await expect(page.getByRole('dialog').getByRole('option', { selected: true })).toContainText('アプリケーション');
      await expectAccessible(page);
      await expectNoHorizontalScrolling(page);
    });
  }
});
