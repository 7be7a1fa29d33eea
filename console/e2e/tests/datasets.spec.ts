// 5. Datasets: uploading, making one, watching it being built, its report, trying it, deleting it.
import { expect, expectAccessible, test } from '../test';
import { Person, photo, signIn } from '../people';
import { Server } from '../server';
import { variants } from '../variants';

let server: Server;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  server = await Server.start({ models: true });
  await (await Person.register(server.base, 'operator@example.org')).application('station-guide');
});
test.afterAll(() => server.stop());

test('from photographs to a dataset that recognises, and away again', async ({ page }) => {
  test.setTimeout(240_000);
  await page.goto(`${server.base}/console/sign-in`);
  const pictures = { cat: await variants(page, 'chelsea.png', 4), coffee: await variants(page, 'coffee.png', 4) };
  await signIn(page, server.base, 'operator@example.org');
  await page.getByRole('navigation').getByRole('link', { name: 'Datasets' }).click();
  const grid = page.getByRole('list', { name: 'Images in the storage area' });
  let there = 0;
  for (const [tag, all] of Object.entries(pictures)) {
    await page.getByLabel('Tag for these files').fill(tag);
    const files = all.map((buffer, n) => ({ name: `${tag}-${n}.jpg`, mimeType: 'image/jpeg', buffer }));
    await page.getByTestId('upload-files').setInputFiles(files);
    there += all.length;
    await expect(grid.getByRole('checkbox')).toHaveCount(there);
  }
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Select all/ }).first().click();
  await page.getByRole('button', { name: 'Create dataset from selection' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Café animals');
  await page.getByRole('button', { name: /^Create with/ }).click();
  await expect(page.getByRole('link', { name: 'Try it' })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole('img', { name: /Confusion matrix/ })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Try it' }).click();
  await expect(page).toHaveURL(/\/console\/recognition\?/);
  await page.locator('input[type=file]').first().setInputFiles(photo('chelsea.png'));
  await expect(page.getByRole('list', { name: 'Candidates' }).getByRole('listitem').first()).toContainText('cat');
  await page.goBack();
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Café animals');
  await dialog.getByRole('button', { name: /^Delete/ }).click();
  await expect(page).toHaveURL(/\/console\/datasets(\?|$)/);
  await expect(page.getByRole('link', { name: 'Café animals' })).toHaveCount(0);
});

test('a list of addresses is read line by line, and what becomes of each is told', async ({ page }) => {
  test.setTimeout(120_000);
  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/datasets`);
  await page.getByRole('tab', { name: 'Datasets' }).click();
  await page.getByRole('button', { name: 'New dataset' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Out of reach');
  await page.getByLabel('Addresses and tags').fill('http://127.0.0.1:9/a.jpg cat\nno address at all\nhttp://127.0.0.1:9/b.jpg dog');
  await expect(page.getByRole('button', { name: 'Line 2' })).toBeVisible();
  await page.getByRole('button', { name: 'Remove these lines' }).click();
  await page.getByRole('button', { name: /^Create with/ }).click();
  await expect(page.getByText(/failed/i).first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText(/not .*fetch|denied|refused|not allowed/i).first()).toBeVisible();
});
