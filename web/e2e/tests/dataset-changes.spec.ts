// Changing a dataset: tags of single images and of the report's doubts, names, new versions, undoing.
import { expect, expectAccessible, test } from '../test';
import { ConsoleUser, signIn } from '../users';
import { Server, waitUntil } from '../server';
import { tiles } from '../variants';

let server: Server;
let key: string;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  server = await Server.start({ models: true });
  ({ key } = await (await ConsoleUser.register(server.base, 'operator@example.org')).application('station-guide'));
});
test.afterAll(() => server.stop());

type Report = { state: string; health?: { likelyMislabelled: { tag: string; looksLike: string }[] } };

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
  form.set('tag', tag);
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
  await expect(page.getByText('The old version answers until it is ready.')).toBeVisible();
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
