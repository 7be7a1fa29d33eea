// 5. Datasets: uploading images, creating, build progress, health report, trying, deleting.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, expectAccessible, test } from '../test';
import { ConsoleUser, photo, signIn } from '../users';
import { Server } from '../server';
import { variants } from '../variants';

let server: Server;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  server = await Server.start({ models: true, args: ['--fetch-allow', '127.0.0.1'] });
  await (await ConsoleUser.register(server.base, 'operator@example.org')).application('station-guide');
});
test.afterAll(() => server.stop());

test('from photographs to a dataset that recognises, and away again', async ({ page }) => {
  test.setTimeout(240_000);
  await page.goto(`${server.base}/console/sign-in`);
  // Different photographs: variants of one are left out together, and then there is nothing to evaluate.
  const each = async (names: string[]) => (await Promise.all(names.map((name) => variants(page, name, 1)))).flat();
  const pictures = {
    texture: await each(['brick.png', 'grass.png', 'gravel.png']),
    thing: await each(['coffee.png', 'rocket.jpg', 'clock_motion.png']),
  };
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
  await page
    .getByRole('button', { name: /^Select all/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Create dataset from selection' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Café animals');
  await page.getByRole('button', { name: /^Create with/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Café animals' })).toBeFocused();
  await expect(page.getByRole('link', { name: 'Try it' })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole('img', { name: /Confusion matrix/ })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Try it' }).click();
  await expect(page).toHaveURL(/\/console\/recognition\?/);
  await page.locator('input[type=file]').first().setInputFiles(photo('coffee.png'));
  await expect(page.getByRole('list', { name: 'Candidates' }).getByRole('listitem').first()).toContainText('thing');
  await page.goBack();
  const button = page.getByRole('button', { name: 'Download' });
  const error = { code: 'unavailable', message: 'the server is busy; try again shortly' };
  await page.route('**/archive', (route) => route.fulfill({ status: 503, json: { error } }));
  await button.click();
  await expect(page.getByText('The server is not ready or is overloaded.'), 'there is no file, and why').toBeVisible();
  await page.unroute('**/archive');
  const download = page.waitForEvent('download');
  await button.click();
  const archive = await download;
  expect(archive.suggestedFilename()).toBe('Café animals.zip');
  const names = readFileSync(await archive.path()).toString('latin1');
  for (const file of ['texture/texture-0.jpg', 'thing/thing-2.jpg'])
    expect(names, 'a folder for each tag').toContain(file);
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Café animals');
  await dialog.getByRole('button', { name: /^Delete/ }).click();
  await expect(page).toHaveURL(/\/console\/datasets(\?|$)/);
  await expect(page.getByRole('link', { name: 'Café animals' })).toHaveCount(0);
});

test('a list of addresses is read line by line, and what becomes of each is told', async ({ page }) => {
  test.setTimeout(120_000);
  const files: Record<string, string> = { '/cat.png': 'chelsea.png', '/cup.png': 'coffee.png' };
  const pictures = createServer((request, answer) => {
    const name = files[request.url ?? ''];
    answer
      .writeHead(name ? 200 : 404, { 'content-type': 'image/png' })
      .end(name ? readFileSync(photo(name)) : 'nothing');
  });
  await new Promise<void>((ready) => pictures.listen(0, '127.0.0.1', ready));
  const base = `http://127.0.0.1:${(pictures.address() as { port: number }).port}`;
  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/datasets`);
  await page.getByRole('tab', { name: 'Datasets' }).click();
  await page.getByRole('button', { name: 'Create dataset' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('From the web');
  await page
    .getByLabel('URLs and tags')
    .fill(`${base}/cat.png cat\nno address at all\n${base}/cup.png cup\n${base}/gone.png cup`);
  await expect(page.getByRole('button', { name: 'Line 2' })).toBeVisible();
  await page.getByRole('button', { name: 'Remove these lines' }).click();
  await page.getByRole('button', { name: /^Create with/ }).click();
  await expect(page.getByRole('link', { name: 'Try it' })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText('not found').locator('visible=true').first()).toBeVisible();
  await expect(page.getByText(`${base}/gone.png`).first()).toBeVisible();
  await new Promise((done) => pictures.close(done));
});

test('a user is one of an application, and not taken along to another', async ({ page }) => {
  await (await ConsoleUser.signIn(server.base, 'operator@example.org')).application('timetable');
  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/datasets`);
  const application = page.getByLabel('Application', { exact: true });
  const user = page.getByLabel('User', { exact: true });
  const asked = page.getByRole('dialog', { name: 'Other user' });
  await application.selectOption({ label: 'station-guide' });
  await page.getByRole('button', { name: 'Other user…' }).click();
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await expect(user).toHaveValue('console');
  await page.getByRole('button', { name: 'Other user…' }).click();
  await asked.getByLabel('User ID').fill('hana');
  await asked.getByRole('button', { name: 'Show user' }).click();
  await expect(user).toHaveValue('hana');
  await application.selectOption({ label: 'timetable' });
  await expect(user).toHaveValue('console');
  await expect(page).toHaveURL(/\/console\/datasets$/);
  await application.selectOption({ label: 'station-guide' });
  await expect(user, 'the last one of this application').toHaveValue('hana');
});
