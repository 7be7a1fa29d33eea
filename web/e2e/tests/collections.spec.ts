// 9. Collections and the catalogue: import with progress, thumbnails, search and deletion, for operators.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { expect, expectAccessible, expectNoHorizontalScrolling, test } from '../test';
import { ConsoleUser, photo, signIn } from '../users';
import { Server } from '../server';

let server: Server;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  server = await Server.start({ models: true });
  await (await ConsoleUser.register(server.base, 'operator@example.org')).application('station-guide');
});
test.afterAll(() => server.stop());

const phone = { width: 390, height: 844 };
const open = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

/** Waits until every picture in it is really shown. */
async function expectPictures(place: Locator, count: number): Promise<void> {
  await expect(place.locator('img')).toHaveCount(count);
  await expect
    .poll(() =>
      place.locator('img').evaluateAll((all) => all.every((one) => (one as HTMLImageElement).naturalWidth > 0)),
    )
    .toBe(true);
}

test('a collection is filled, searched and deleted', async ({ page }) => {
  await signIn(page, server.base, 'operator@example.org');
  await open(page, 'Collections');
  await expect(page.getByText('There are no collections yet')).toBeVisible();
  await page.getByRole('button', { name: 'Create collection' }).click();
  await page.getByLabel('Name').fill('a b');
  await page.getByRole('button', { name: 'Add images' }).click();
  await expect(page.getByText('Enter 1 to 64 letters, digits, “-” or “_”.')).toBeVisible();
  await page.getByLabel('Name').fill('museum');
  await page.getByRole('button', { name: 'Add images' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'museum' })).toBeVisible();

  await page.getByLabel('Tag for these files').fill('things');
  const files = ['coffee.png', 'chelsea.png', 'rocket.jpg'].map(photo);
  await page.getByTestId('upload-files').setInputFiles([...files, join(import.meta.dirname, 'collections.spec.ts')]);
  await expect(page.getByText('3 uploaded, 1 not sent').first()).toBeVisible();
  const grid = page.getByRole('list', { name: 'Images of museum' });
  await expect(grid.getByRole('listitem')).toHaveCount(3);
  await expectPictures(grid, 3);
  await expectAccessible(page);

  // A search finds what was added at once.
  await page.getByTestId('search-file').setInputFiles(photo('coffee.png'));
  const found = page.getByRole('list', { name: '3 images, most similar first' });
  await expect(found.getByRole('listitem').first()).toContainText('things/coffee.png');
  await expectPictures(found, 3);
  await page.getByRole('button', { name: 'Show images similar to things/chelsea.png' }).click();
  await expect(found.getByRole('listitem').first()).toContainText('things/chelsea.png');

  await page.getByRole('button', { name: 'Delete things/rocket.jpg' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('The image has been deleted.')).toBeVisible();
  await expect(grid.getByRole('listitem')).toHaveCount(2);
  await page.setViewportSize(phone);
  await expectNoHorizontalScrolling(page);
  await expectAccessible(page);

  await page.goto(`${server.base}/console/collections`);
  await expect(page.getByRole('link', { name: 'museum' })).toBeVisible();
  await expectNoHorizontalScrolling(page);
  await page.getByRole('button', { name: 'Actions for museum' }).click();
  await page.getByRole('menuitem', { name: 'Search with an image' }).click();
  await expect(page.getByLabel('Collection', { exact: true })).toHaveValue('museum');
  await page.locator('input[type=file]').first().setInputFiles(photo('coffee.png'));
  const candidates = page.getByRole('list', { name: 'Candidates' });
  await expect(candidates.getByRole('listitem').first()).toContainText('things/coffee.png');
  await expectPictures(candidates, 2);

  await page.goto(`${server.base}/console/collections`);
  await page.getByRole('button', { name: 'Actions for museum' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('museum');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('There are no collections yet')).toBeVisible();
});

test('items are imported, found and deleted', async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'kaisatsu-items-'));
  const table = join(folder, 'items.csv');
  const rows =
    'id,category,name,image,barcode,maker\nbox,food,Box of tea,box.png,,Leaf\nbook,book,Kokoro,,4901234567894,\n';
  writeFileSync(table, rows);
  const box = join(folder, 'box.png');
  writeFileSync(box, readFileSync(photo('box.png')));
  await signIn(page, server.base, 'operator@example.org');
  await open(page, 'Catalogue');
  await expect(page.getByText('The catalogue is empty')).toBeVisible();
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByTestId('import-files').setInputFiles([table, box]);
  await expect(page.getByText('2 items, 1 image')).toBeVisible();
  await page.getByRole('button', { name: 'Import 2 items' }).click();
  await expect(page.getByText('2 uploaded').first()).toBeVisible();
  const list = page.getByRole('table', { name: 'Items' });
  await expect(list.getByRole('row')).toHaveCount(3);
  await expectPictures(list, 1);
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Add item' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Coffee');
  await dialog.getByRole('button', { name: 'Add item' }).click();
  await expect(dialog.getByText('Enter an ID and a name, and a barcode or an image.')).toBeVisible();
  await dialog.getByLabel('ID', { exact: true }).fill('coffee');
  await page.getByTestId('item-pictures').setInputFiles(photo('coffee.png'));
  await expect(dialog.getByText('1 image chosen')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Add item' }).click();
  await expectPictures(list, 2);

  await page.getByLabel('ID or barcode').fill('4901234567894');
  await page.getByRole('main').getByRole('button', { name: 'Search' }).click();
  await expect(list.getByRole('row')).toHaveCount(2);
  await expect(list).toContainText('Kokoro');
  await page.getByRole('button', { name: 'Delete Kokoro' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No items found')).toBeVisible();
  await page.setViewportSize(phone);
  await expectNoHorizontalScrolling(page);
  rmSync(folder, { recursive: true });
});

test('both pages are for operators', async ({ page }) => {
  await ConsoleUser.register(server.base, 'someone@example.org');
  await signIn(page, server.base, 'someone@example.org');
  await expect(page.getByRole('navigation').getByRole('link', { name: 'Collections' })).toHaveCount(0);
  for (const path of ['collections', 'collections/museum', 'catalogue']) {
    await page.goto(`${server.base}/console/${path}`);
    await expect(page.getByText('This page is for operators only')).toBeVisible();
  }
});
