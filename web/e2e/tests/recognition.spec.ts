// 4. Recognition: functions, candidates with boxes and evidence, and the effect of feedback.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, expectAccessible, test } from '../test';
import { ConsoleUser, photo, signIn } from '../users';
import { Server } from '../server';
import { upright } from '../variants';

let server: Server;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  server = await Server.start({ models: true });
  await (await ConsoleUser.register(server.base, 'operator@example.org')).application('station-guide');
});
test.afterAll(() => server.stop());
test.beforeEach(async ({ page }) => {
  await signIn(page, server.base, 'operator@example.org');
  await page.getByRole('navigation').getByRole('link', { name: 'Recognition' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

/** A drawing of the end-to-end tests. */
const drawing = (name: string) => join(import.meta.dirname, '../../../e2e/tests/data', name);

const candidates = (page: import('@playwright/test').Page) =>
  page.getByRole('list', { name: 'Candidates' }).getByRole('listitem');

test('a photograph is classified, and a thumb changes what comes next', async ({ page }) => {
  await page.locator('input[type=file]').first().setInputFiles(photo('chelsea.png'));
  await expect(candidates(page).first()).toContainText(/tabby|Egyptian cat/i);
  await expectAccessible(page);
  const wrong = page.getByRole('button', { name: /is wrong$/ }).first();
  await wrong.click();
  await expect(page.getByRole('table', { name: 'Effect of your feedback' })).toBeVisible();
  await expect(page.getByRole('button', { name: /is wrong$/ }).and(page.locator('[aria-pressed=true]'))).toHaveCount(1);
  await page.getByText('Request as a curl command').click();
  await expect(page.getByText(/curl [^]*concept\/classify/).first()).toBeVisible();
  await expect(page.getByText(/kst_/)).toHaveCount(0);
  await page.getByRole('button', { name: 'Revoke' }).first().click();
  await expect(page.getByRole('button', { name: /is wrong$/ }).and(page.locator('[aria-pressed=true]'))).toHaveCount(0);
});

test('the picker of models says what each is for', async ({ page }) => {
  const picker = page.getByLabel('Model', { exact: true });
  await expect(picker).toHaveAccessibleDescription(/everyday things in 1,000 categories.*landmark: not taught yet/);
  await picker.selectOption('food');
  await expect(picker).toHaveAccessibleDescription(/Dishes of many cuisines/);
  await page.locator('input[type=file]').first().setInputFiles(photo('coffee.png'));
  await expect(candidates(page)).toHaveCount(5);
});

test('a comment that could not be sent stays where it was typed', async ({ page }) => {
  await page.locator('input[type=file]').first().setInputFiles(photo('coffee.png'));
  await page
    .getByRole('button', { name: /is right$/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Add comment' }).click();
  const comment = page.getByLabel('Comment');
  await comment.fill('A cup, and a spoon beside it');
  const json = { error: { code: '501', message: 'feedbackToCandidate: too many are waiting' } };
  await page.route('**/feedbackToCandidate?*', (route) => route.fulfill({ status: 503, json }), { times: 1 });
  await page.getByRole('button', { name: 'Save comment' }).click();
  await expect(
    page.getByText('The server is not ready or is overloaded. Message from the server: too many are waiting'),
  ).toBeVisible();
  await expect(comment).toHaveValue('A cup, and a spoon beside it');
  await page.getByRole('button', { name: 'Save comment' }).click();
  await expect(page.getByText('The comment has been saved.')).toBeVisible();
  await expect(page.getByText('A cup, and a spoon beside it')).toBeVisible();
});

test('things in a photograph get their boxes', async ({ page }) => {
  await page.getByRole('radio', { name: 'Objects' }).check({ force: true });
  await page.locator('input[type=file]').first().setInputFiles(photo('astronaut.png'));
  await expect(candidates(page).first()).toContainText(/person/i);
  const boxes = page.locator('svg [data-item]');
  expect(await boxes.count()).toBeGreaterThan(0);
  const box = (await boxes.first().boundingBox())!;
  expect(box.width * box.height, 'an astronaut fills a good part of the picture').toBeGreaterThan(10_000);
});

test('small things are searched in tiles', async ({ page }) => {
  await page.getByRole('radio', { name: 'Objects' }).check({ force: true });
  await page.getByLabel('Detect small objects').check();
  await page.locator('input[type=file]').first().setInputFiles(photo('coffee.png'));
  await expect(candidates(page).filter({ hasText: 'cup' })).toHaveCount(1);
  await page.getByText('Request as a curl command').click();
  await expect(page.getByText(/--form-string 'accuracy=high'/).first()).toBeVisible();
});

test('text is read, outlined and corrected', async ({ page }) => {
  await page.getByRole('radio', { name: 'Text' }).check({ force: true });
  await page.locator('input[type=file]').first().setInputFiles(drawing('sign.png'));
  await expect(candidates(page)).toHaveCount(3);
  await expect(candidates(page).first()).toContainText('東京駅八重洲口');
  await expect(page.locator('svg polygon.line')).toHaveCount(3);
  await expectAccessible(page);
  await page.getByRole('button', { name: '“新宿三丁目” is wrong' }).click();
  await page.getByRole('button', { name: 'Add comment' }).click();
  await page.getByLabel('Correct text').fill('新宿三丁目駅');
  await page.getByRole('button', { name: 'Save comment' }).click();
  await expect(page.getByText('The comment has been saved.')).toBeVisible();
  await expect(page.getByRole('table', { name: 'Effect of your feedback' })).toHaveCount(0);
  await page.getByLabel('Language of the text').selectOption('English');
  await page.getByRole('button', { name: 'Recognise again' }).click();
  await expect(candidates(page)).toHaveCount(1);
  await expect(candidates(page).first()).toContainText('Exit 4 to Nihombashi');
});

test('an item of the catalogue is found in a scene, with its evidence', async ({ page }) => {
  const file = join(server.folder, 'items.csv');
  writeFileSync(file, 'id,category,name,image\nbox-1,food,Box of tea,box.png\n');
  server.run('catalog', 'import', file, '--pictures', dirname(photo('box.png')));
  await page.getByRole('radio', { name: 'Items' }).check({ force: true });
  await expect(async () => {
    await page.locator('input[type=file]').first().setInputFiles(photo('box_in_scene.png'));
    await expect(candidates(page).first()).toContainText('Box of tea', { timeout: 5_000 });
  }, 'a running server takes the catalogue up within a second').toPass();
  await expect(candidates(page).first()).toContainText(/features? match/);
});

test('images like a picture are found in a collection', async ({ page }) => {
  const folder = join(server.folder, 'museum', 'animals');
  mkdirSync(folder, { recursive: true });
  for (const name of ['chelsea.png', 'coffee.png', 'rocket.jpg']) copyFileSync(photo(name), join(folder, name));
  server.run('collection', 'import', 'museum', join(server.folder, 'museum'), '--url-prefix', 'https://example.org/');
  await page.getByRole('radio', { name: 'Similar' }).check({ force: true });
  await page.getByLabel('Collection', { exact: true }).fill('museum');
  await expect(async () => {
    await page.locator('input[type=file]').first().setInputFiles(photo('chelsea.png'));
    await expect(candidates(page).first()).toContainText('chelsea.png', { timeout: 5_000 });
  }).toPass();
});

test('a picture is photographed', async ({ page, context }) => {
  await context.grantPermissions(['camera'], { origin: server.base });
  await page.getByRole('button', { name: 'Use the camera' }).click();
  await page.getByRole('button', { name: 'Take photo' }).click();
  await expect(
    page.getByRole('region', { name: 'Recent images' }).getByRole('button', { name: /^Show/ }),
  ).toBeVisible();
  await expect(page.getByText(/ms including upload|No match|no candidate/i).first()).toBeVisible();
});

test('a picture is pasted, and what is no picture is refused', async ({ page }) => {
  await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(200, 200);
    canvas.getContext('2d')!.fillRect(0, 0, 200, 200);
    const files = new DataTransfer();
    files.items.add(new File([await canvas.convertToBlob()], 'pasted.png', { type: 'image/png' }));
    document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: files, bubbles: true }));
  });
  await expect(
    page.getByRole('region', { name: 'Recent images' }).getByRole('button', { name: 'Show pasted.png' }),
  ).toBeVisible();
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') });
  await expect(page.getByRole('alert').first()).toBeVisible();
});

test('where a model has a text encoder, similar images are searched for in words', async ({ page }) => {
  await page.getByRole('radio', { name: 'Similar', exact: true }).check({ force: true });
  const text = page.getByLabel('Text instead of an image');
  await expect(page.getByLabel('Collection', { exact: true })).toBeVisible();
  await expect(text, 'no model of this server has one').toHaveCount(0);

  await page.route('**/imageRecognition/v1/models*', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { tasks: { task: string; models: { text?: boolean }[] }[] };
    for (const { task, models } of answer.tasks)
      if (task === 'similarImageSearch') for (const model of models) model.text = true;
    await route.fulfill({ response, json: answer });
  });
  await page.reload();
  await page.getByRole('radio', { name: 'Similar', exact: true }).check({ force: true });
  await page.getByLabel('Collection', { exact: true }).fill('museum');
  await text.fill('a red teapot');
  await expectAccessible(page);
  const candidate = { itemId: '1', imageId: 'teapot.jpg', imageUrl: '', tag: '', score: 0.31 };
  const json = { recognitionId: 'r', jobId: 'r', candidates: [candidate] };
  const sent = page.waitForRequest('**/similarImage/search*');
  await page.route('**/similarImage/search*', (route) => route.fulfill({ json }));
  await page.getByRole('button', { name: 'Recognise' }).click();
  const form = (await sent).postData() ?? '';
  expect(form).toContain('a red teapot');
  expect(form, 'there is no picture').not.toContain('name="image"');
  await expect(candidates(page).first()).toContainText('teapot.jpg');
});

test('a sample is recognised, and the last pictures are there on return', async ({ page }) => {
  await page.getByRole('button', { name: 'Coffee' }).click();
  await expect(candidates(page).first()).toContainText(/espresso/i);
  await page.getByRole('radio', { name: 'Text' }).check({ force: true });
  await page.getByRole('navigation').getByRole('link', { name: 'Datasets' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Datasets' })).toBeVisible();
  await page.getByRole('navigation').getByRole('link', { name: 'Recognition' }).click();
  await expect(page.getByRole('button', { name: 'Show coffee.jpg' })).toBeVisible();
  await expect(candidates(page).first()).toContainText(/espresso/i);
  await expect
    .poll(() => page.evaluate(() => sessionStorage.getItem('kaisatsu.pictures')?.includes('coffee.jpg')))
    .toBe(true);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Show coffee.jpg' })).toBeVisible();
  await expect(candidates(page).first()).toContainText(/espresso/i);
  await page.getByRole('button', { name: 'Remove from the list: coffee.jpg' }).click();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Station sign' })).toBeVisible();
});

test('the drawn sign is read', async ({ page }) => {
  await page.getByRole('radio', { name: 'Text' }).check({ force: true });
  await page.getByRole('button', { name: 'Station sign' }).click();
  await expect(candidates(page).filter({ hasText: '八重洲口' })).toHaveCount(1);
});

for (const [phone, width, height] of [
  ['large', 390, 844],
  ['small', 375, 667],
] as const)
  test(`on a ${phone} phone the first result is in view below a tall picture`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    // The bars at the top and at the bottom, which stay where they are.
    const top = (await page.locator('header').first().boundingBox())!;
    const bar = (await page.locator('nav.bar').boundingBox())!;
    const inView = async () => {
      const image = (await page.getByRole('img', { name: 'tall.jpg' }).boundingBox())!;
      expect(image.y, 'the bar at the top does not cover the image').toBeGreaterThanOrEqual(top.y + top.height);
      const row = (await candidates(page).first().boundingBox())!;
      expect(row.y + row.height, 'the navigation does not cover the row').toBeLessThanOrEqual(bar.y);
    };
    const buffer = await upright(page, 'chelsea.png');
    await page.locator('input[type=file]').first().setInputFiles({ name: 'tall.jpg', mimeType: 'image/jpeg', buffer });
    await expect(candidates(page).first()).toContainText(/cat/i);
    await expect(inView).toPass();
    await page.getByRole('radio', { name: 'Objects' }).check({ force: true });
    await expect(page.locator('svg [data-item]').first()).toBeAttached();
    await expect(inView, 'also after another function').toPass();
    await expectAccessible(page);
  });

test('after a wrong candidate the right tag is searched and confirmed', async ({ page }) => {
  await page.locator('input[type=file]').first().setInputFiles(photo('rocket.jpg'));
  await expect(candidates(page).first()).toBeVisible();
  await page
    .getByRole('button', { name: /is wrong$/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'It is actually…' }).click();
  await page.getByLabel('It is actually…').fill('zzzz');
  await expect(page.getByText('The model general has no such tag.')).toBeVisible();
  await page.getByLabel('It is actually…').fill('goldfish');
  const tags = page.getByRole('list', { name: 'Tags of the model' });
  await expect(tags.getByRole('button').first()).toBeVisible();
  await expectAccessible(page);
  await tags.getByRole('button').last().click();
  await expect(
    page.getByText('You confirmed “goldfish”: it was not among the candidates and now has a score of'),
  ).toBeVisible();
  await expect(candidates(page).first()).toBeVisible();
});

test('labels of boxes do not cover each other', async ({ page }) => {
  await page.getByRole('radio', { name: 'Objects' }).check({ force: true });
  await page.locator('input[type=file]').first().setInputFiles(photo('coffee.png'));
  await expect(candidates(page).first()).toBeVisible();
  const labels = await page
    .locator('svg rect.chip')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
  expect(labels.length).toBeGreaterThan(1);
  for (const [at, a] of labels.entries())
    for (const b of labels.slice(at + 1))
      expect(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top).toBe(true);
});
