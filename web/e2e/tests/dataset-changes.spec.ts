// Changing a dataset: tags of single images and of the report's doubts, names, new images, new versions, undoing.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, expectAccessible, test } from '../test';
import { ConsoleUser, signIn } from '../users';
import { Server, waitUntil } from '../server';
import { tiles } from '../variants';

let server: Server;
let key: string;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  server = await Server.start({ models: true, args: ['--fetch-allow', '127.0.0.1'] });
  ({ key } = await (await ConsoleUser.register(server.base, 'operator@example.org')).application('station-guide'));
});
test.afterAll(() => server.stop());

type Report = {
  state: string;
  progress: { fetched: number };
  health?: { likelyMislabelled: { tag: string; looksLike: string }[] };
};

/** Calls an operation of the public API with a JSON body. */
async function call<A>(operation: string, body: unknown, token = ''): Promise<A> {
  const query = new URLSearchParams({ APIKEY: key, ...(token && { token }) });
  const response = await fetch(`${server.base}/imageRecognition/v1/userCategory/${operation}?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as A;
}

async function upload(picture: Buffer, tag: string, token: string): Promise<{ imageId: string }> {
  const form = new FormData();
  form.set('image', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'tile.jpg');
  if (tag) form.set('tag', tag);
  const query = new URLSearchParams({ APIKEY: key, token });
  const url = `${server.base}/imageRecognition/v1/userCategory/uploadImage?${query}`;
  const { imageId } = (await (await fetch(url, { method: 'POST', body: form })).json()) as { imageId: string };
  return { imageId };
}

test('a wrong tag is put right, the new version is ready, and the change is undone', async ({ page }) => {
  test.setTimeout(300_000);
  await page.goto(`${server.base}/console/sign-in`);
  const { token } = await call<{ token: string }>('getToken', { userId: 'console' });
  const images = [];
  for (const [name, tag] of [
    ['brick.png', 'bricks'],
    ['grass.png', 'grass'],
    ['gravel.png', 'gravel'],
  ] as const)
    for (const [n, picture] of (await tiles(page, name, 3)).entries())
      images.push(await upload(picture, name === 'brick.png' && n === 0 ? 'grass' : tag, token));
  const { dataSetId } = await call<{ dataSetId: string }>('createDataSet', { name: 'Grounds', images }, token);
  const report = () => call<Report>('getDataSet', { dataSetId }, token);
  await waitUntil('it is built', async () => (await report()).state === 'ready');

  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/datasets/${dataSetId}?user=console`);
  const undo = page.getByRole('button', { name: 'Undo last change' });
  const accept = page.getByRole('button', { name: 'Accept: change the tag from grass to bricks' });
  await expect(accept).toBeVisible();
  await expect(undo).toHaveCount(0);
  await expectAccessible(page);

  // The page learns of the new version only when it has shown what it says until then.
  let go = () => {};
  const seen = new Promise<void>((done) => (go = done));
  await page.route('**/getDataSet?*', (route) => seen.then(() => route.continue()));
  await accept.click();
  await expect(page.getByRole('heading', { name: 'A new version is being built' })).toBeVisible();
  await expect(page.getByText('The current version stays in use until it is ready.')).toBeVisible();
  const doubts = page.getByRole('heading', { name: '1 image with a probably wrong tag' });
  await expect(doubts, 'the report of the old version is still there').toBeVisible();
  await expect(page.getByText('Will be tagged bricks.').first()).toBeVisible();
  await expect(undo).toBeVisible();
  await expectAccessible(page);
  go();
  await expect(page.getByText('The new version of “Grounds” is ready.')).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole('heading', { name: 'Version 2' })).toBeVisible();
  await expect(accept).toHaveCount(0);
  expect((await report()).health?.likelyMislabelled).toEqual([]);
  await expectAccessible(page);

  await undo.click();
  await expect(page.getByRole('heading', { name: 'Version 1' })).toBeVisible();
  await expect(undo).toBeFocused();
  await expect(accept, 'the version before has the wrong tag').toBeVisible();

  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Floors');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Floors' })).toBeVisible();

  const table = page.getByRole('table', { name: '27 images' });
  await table.getByRole('button', { name: 'Show this image tagged bricks' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Change tag' }).click();
  await page.getByRole('dialog').getByLabel('New tag').fill('paving');
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Change tag' }).click();
  await expect(page.getByText('The new version of “Floors” is ready.')).toBeVisible({ timeout: 60_000 });
  await expect(table.getByRole('rowheader', { name: 'paving' })).toHaveCount(1);

  await page.getByRole('button', { name: 'Rename the tag paving' }).click();
  await page.getByRole('dialog').getByLabel('New name').fill('bricks');
  await expect(page.getByText('“paving” will be merged with “bricks”')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Merge tags' }).click();
  await expect(page.getByRole('heading', { name: 'Version 4' })).toBeVisible({ timeout: 60_000 });
  await expect(table.getByRole('rowheader', { name: 'bricks' }).first()).toBeVisible();
  await expect(table.getByRole('rowheader', { name: 'paving' })).toHaveCount(0);

  // The table of the new version may just be arriving, and takes an open menu with it.
  await expect(async () => {
    await table.getByRole('button', { name: 'Actions for this image tagged bricks' }).first().click();
    await page.getByRole('menuitem', { name: 'Remove from dataset' }).click({ timeout: 3_000 });
  }).toPass({ timeout: 60_000 });
  await page.getByRole('dialog').getByRole('button', { name: 'Remove image' }).click();
  await expect(page.getByRole('table', { name: '26 images' })).toBeVisible({ timeout: 60_000 });
});

test('images are added from files, from the storage area and from addresses', async ({ page }) => {
  test.setTimeout(300_000);
  await page.goto(`${server.base}/console/sign-in`);
  const { token } = await call<{ token: string }>('getToken', { userId: 'console' });
  const [brick, grass] = [await tiles(page, 'brick.png', 4), await tiles(page, 'grass.png', 4)];
  const images = [];
  for (let n = 0; n < 3; n++) {
    images.push(await upload(brick[n]!, 'red', token));
    images.push(await upload(grass[n]!, 'green', token));
  }
  const { dataSetId } = await call<{ dataSetId: string }>('createDataSet', { name: 'Colours', images }, token);
  const report = () => call<Report>('getDataSet', { dataSetId }, token);
  await waitUntil('it is built', async () => (await report()).state === 'ready');
  await upload(brick[5]!, '', token);
  const web = createServer((_, response) => response.setHeader('content-type', 'image/jpeg').end(grass[6]));
  await new Promise<void>((listening) => web.listen(0, '127.0.0.1', listening));

  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/datasets/${dataSetId}?user=console`);
  const dialog = page.getByRole('dialog', { name: 'Add images to the dataset' });
  const table = (count: number) => page.getByRole('table', { name: `${count} images` });
  await expect(table(6)).toBeVisible();

  await page.getByRole('button', { name: 'Add images' }).click();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog.getByText('Choose at least one file.')).toBeVisible();
  await dialog.getByTestId('upload-files').setInputFiles([
    { name: 'wall.jpg', mimeType: 'image/jpeg', buffer: brick[4]! },
    { name: 'again.jpg', mimeType: 'image/jpeg', buffer: brick[0]! },
  ]);
  await expect(dialog.getByText('1 image is already in the dataset.')).toBeVisible({ timeout: 60_000 });
  await dialog.getByRole('button', { name: 'Add 1 image' }).click();
  await expect(dialog.getByText('1 image has no tag.')).toBeVisible();
  await dialog.getByLabel('No tag, 1 image: tag in the dataset').fill('red');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Add 1 image' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'Add images' })).toBeFocused();
  // A note that it is ready would be gone after some seconds, before a busy machine looks for it.
  await expect(table(7)).toBeVisible({ timeout: 60_000 });
  await expect(table(7).getByRole('rowheader', { name: 'red' })).toHaveCount(4);

  await page.getByRole('button', { name: 'Add images' }).click();
  await dialog.getByRole('radio', { name: 'Storage area' }).check({ force: true });
  await dialog.getByLabel('Tag', { exact: true }).selectOption('No tag (1)');
  await dialog.getByRole('checkbox').check({ force: true });
  await dialog.getByRole('checkbox').press('Escape');
  await expect(dialog.getByRole('checkbox'), 'Escape clears the selection and closes nothing').not.toBeChecked();
  await dialog.getByRole('checkbox').press(' ');
  await dialog.getByLabel('No tag, 1 image: tag in the dataset').fill('orange');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Add 1 image' }).click();
  await expect(table(8).getByRole('rowheader', { name: 'orange' })).toHaveCount(1, { timeout: 60_000 });

  await page.getByRole('button', { name: 'Add images' }).click();
  await dialog.getByRole('radio', { name: 'URLs' }).check({ force: true });
  const { port } = web.address() as AddressInfo;
  await dialog.getByLabel('URLs and tags').fill(`http://127.0.0.1:${port}/meadow%20one.jpg green`);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Add 1 image' }).click();
  await expect(table(9).getByRole('row', { name: /meadow one\.jpg/ })).toContainText('in the dataset', {
    timeout: 60_000,
  });
  expect((await report()).progress.fetched).toBe(9);
  web.close();
});
