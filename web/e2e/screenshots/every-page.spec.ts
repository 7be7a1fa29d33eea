// Fills a server with realistic data and takes a screenshot of every page in both themes. pngquant reduces each to a
// palette of at most 256 colours, which makes it a third as large.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { ConsoleUser, classify, photo, rate, signIn } from '../users';
import { Server } from '../server';
import { variants } from '../variants';

const folder = join(import.meta.dirname, '../../../docs/pictures/console');
mkdirSync(folder, { recursive: true });

test('every page in both themes', async ({ page }) => {
  const empty = await Server.start();
  await inBothThemes(page, async (theme) => {
    await page.goto(`${empty.base}/console/register`);
    await shot(page, 'register', theme);
  });
  await empty.stop();
  const server = await Server.start({ models: true, args: ['--daily-requests', '5000'] });
  const made = await furnish(page, server);
  const signedOut = ['sign-in', 'forgot', 'reset?token=x', 'confirm?token=x'];
  const pages: [string, string, ((theme: string) => Promise<void>)?][] = [
    ['overview', ''],
    ['application', `applications/${made.application}`],
    ['maps', 'maps', async () => void (await page.waitForTimeout(2500))],
    [
      'map',
      'maps/tokyo?x=1240&y=1180&width=420&height=300',
      async () => {
        await expect(page.getByRole('application')).toHaveAttribute('data-state', 'ready');
        await expect(page.getByRole('list', { name: 'Stations in the response' })).toBeVisible();
        await page.waitForTimeout(2500);
      },
    ],
    [
      'new-key',
      `applications/${made.application}`,
      async () => {
        await page.getByRole('button', { name: 'Create key' }).click();
        const dialog = page.getByRole('dialog', { name: 'Create key' });
        await dialog.getByLabel('Scope').selectOption('Restricted');
        await dialog.getByRole('textbox', { name: /Allowed origins and networks/ }).fill('https://maps.example.org');
        await dialog.getByLabel('Expires after').selectOption('90 days');
      },
    ],
    [
      'palette',
      '',
      async () => {
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').getByRole('combobox').fill('st');
        await expect(page.getByRole('dialog').getByRole('option').first()).toBeVisible();
      },
    ],
    [
      'recognition',
      'recognition',
      async () => {
        await page.getByRole('radio', { name: 'Objects' }).check({ force: true });
        await page.locator('input[type=file]').first().setInputFiles(photo('coffee.png'));
        await expect(page.getByRole('list', { name: 'Candidates' })).toBeVisible();
      },
    ],
    [
      'recognition-feedback',
      'recognition',
      async (theme) => {
        // Pictures without earlier feedback.
        await page
          .locator('input[type=file]')
          .first()
          .setInputFiles(photo(theme === 'dark' ? 'clock_motion.png' : 'leuvenA.jpg'));
        await page
          .getByRole('button', { name: /is right$/ })
          .nth(1)
          .click();
        await expect(page.getByRole('table', { name: 'Effect of your feedback' })).toBeVisible();
        await page.getByRole('table', { name: 'Effect of your feedback' }).scrollIntoViewIfNeeded();
      },
    ],
    [
      'storage-area',
      'datasets',
      async () => {
        await expect(page.getByRole('list', { name: 'Images in the storage area' })).toBeVisible();
        await page.waitForTimeout(1500);
      },
    ],
    [
      'dataset',
      `datasets/${made.dataSet}?user=console`,
      async () => {
        await expect(page.getByRole('img', { name: /Confusion matrix/ })).toBeVisible();
      },
    ],
    [
      'dataset-editing',
      `datasets/${made.dataSet}?user=console`,
      async () => {
        await page.getByRole('button', { name: 'Add images' }).click();
        const dialog = page.getByRole('dialog', { name: 'Add images to the dataset' });
        await dialog.getByRole('radio', { name: 'Storage area' }).check({ force: true });
        await expect(dialog.getByRole('checkbox')).toHaveCount(6);
        for (const at of [0, 1, 2]) await dialog.getByRole('checkbox').nth(at).check({ force: true });
        await page.waitForTimeout(1500);
      },
    ],
    [
      'collection',
      'collections/photographs',
      async () => {
        await page.getByTestId('search-file').setInputFiles(photo('chelsea.png'));
        await expect(page.getByRole('list', { name: /most similar first/ })).toBeVisible();
        await page.waitForTimeout(1500);
      },
    ],
    ['catalogue', 'catalogue', async () => void (await page.waitForTimeout(1500))],
  ];
  await inBothThemes(page, async (theme) => {
    await page.context().clearCookies();
    for (const path of signedOut) {
      await page.goto(`${server.base}/console/${path}`);
      await shot(page, path.replace(/\?.*/, ''), theme);
    }
    await signIn(page, server.base, 'operator@example.org');
    // A page that needs no preparation is found in the navigation.
    const items = page.getByRole('navigation').locator('a');
    await expect(items.first()).toBeVisible();
    for (const link of await items.evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).pathname))) {
      const path = link.replace('/console/', '');
      if (!pages.some(([, known]) => known.replace(/\?.*/, '') === path)) pages.push([path, path]);
    }
    for (const [name, path, before] of pages) {
      await page.goto(`${server.base}/console/${path}`);
      await page.waitForLoadState('networkidle');
      await before?.(theme);
      await shot(page, name, theme);
    }
    await page.goto(`${server.base}/docs#railmapDetail`);
    await expect(page.locator('#railmapDetail')).toBeVisible();
    await page.locator('#railmapDetail').scrollIntoViewIfNeeded();
    await shot(page, 'docs', theme);
  });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  for (const [name, path, before] of pages.filter(([name]) => ['overview', 'map', 'recognition'].includes(name))) {
    await page.goto(`${server.base}/console/${path}`);
    await page.waitForLoadState('networkidle');
    await before?.('light');
    await picture(page, `${name}-phone`);
  }
  await server.stop();
});

async function inBothThemes(page: Page, look: (theme: 'light' | 'dark') => Promise<void>): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await look(theme);
  }
}

async function shot(page: Page, name: string, theme: string): Promise<void> {
  await expect(page.locator('h1').first()).toBeVisible();
  await page.waitForTimeout(600);
  await picture(page, `${name}-${theme}`);
}

async function picture(page: Page, name: string): Promise<void> {
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path });
  execFileSync('pngquant', ['--quality=60-90', '--speed=1', '--strip', '--force', '--output', path, path]);
}

/** Creates applications with usage, verdicts, images, a dataset, and accounts that wait for approval. */
async function furnish(page: Page, server: Server): Promise<{ application: string; dataSet: string }> {
  const operator = await ConsoleUser.register(server.base, 'operator@example.org');
  const { id, key } = await operator.application('station-guide');
  await operator.application('時刻表アプリ');
  await operator.call('PUT', 'operator/registration', { mode: 'approval' });
  for (const name of ['hana', 'taro'])
    await fetch(
      `${server.base}/console/api/accounts`,
      post({ email: `${name}@example.org`, password: 'correct horse battery' }),
    );
  const words = [
    '合っています',
    'Right, that is it',
    '猫であって犬ではありません',
    'It is a cup, not a spoon',
    undefined,
    undefined,
  ];
  const names = ['chelsea.png', 'coffee.png', 'rocket.jpg', 'astronaut.png', 'motorcycle_left.png', 'camera.png'];
  for (let n = 0; n < 160; n++) {
    const seen = await classify(server.base, key, names[n % names.length]!);
    const candidate = seen.candidates[n % 5 === 0 ? 1 : 0];
    if (candidate)
      await rate(
        server.base,
        key,
        seen.recognitionId,
        candidate.itemId,
        n % 5 !== 0 || (n > 70 && n % 3 !== 0),
        words[n % words.length],
      );
  }
  const photographs = dirname(photo('coffee.png'));
  server.run('collection', 'import', 'photographs', photographs);
  for (const [name, pictures] of Object.entries({
    coffee_2026: ['coffee.png'],
    graffiti: ['graf1.png'],
    grounds: ['brick.png', 'grass.png', 'gravel.png'],
    'leuven-by-night': ['leuvenA.jpg', 'leuvenB.jpg'],
    museum: ['astronaut.png', 'camera.png', 'chelsea.png', 'clock_motion.png', 'rocket.jpg'],
  })) {
    const chosen = join(server.folder, name);
    mkdirSync(chosen);
    for (const one of pictures) copyFileSync(photo(one), join(chosen, one));
    server.run('collection', 'import', name, chosen);
  }
  const items = [
    'id,category,name,image,barcode',
    'box,food,Bastoncini,box.png,4901234567894',
    'neko,book,吾輩は猫である,,9784101010014',
    'town,dvd,Leuven by night,leuvenA.jpg,',
    'wall,game,Graffiti,graf1.png,',
    'coffee,food,Coffee,coffee.png,4902102072618',
  ];
  writeFileSync(join(server.folder, 'items.csv'), items.join('\n'));
  server.run('catalog', 'import', join(server.folder, 'items.csv'), '--pictures', photographs);
  const keyId = (await operator.call<{ keys: { id: string }[] }>('GET', `applications/${id}`)).keys[0]!.id;
  execFileSync('python3', [join(import.meta.dirname, 'history.py'), join(server.folder, 'kaisatsu.db'), id, keyId]);

  await page.goto(`${server.base}/console/sign-in`);
  const url = (path: string, query = {}) =>
    `${server.base}/imageRecognition/v1/userCategory/${path}?${new URLSearchParams({ APIKEY: key, ...query })}`;
  const { token } = (await (await fetch(url('getToken'), post({ userId: 'console' }))).json()) as { token: string };
  const images: { imageId: string }[] = [];
  for (const [tag, name] of [
    ['grass', 'grass.png'],
    ['gravel', 'gravel.png'],
    ['bricks', 'brick.png'],
    ['rocket', 'rocket.jpg'],
    ['cup', 'coffee.png'],
    ['cat', 'chelsea.png'],
  ] as const) {
    for (const [n, picture] of (await variants(page, name, 6)).entries()) {
      const form = new FormData();
      form.set('image', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), `${tag}-${n + 1}.jpg`);
      form.set('tag', n === 5 && tag === 'gravel' ? 'grass' : tag);
      form.set('name', `${tag}-${n + 1}.jpg`);
      images.push(
        (await (await fetch(url('uploadImage', { token }), { method: 'POST', body: form })).json()) as {
          imageId: string;
        },
      );
    }
  }
  for (const [n, picture] of (await variants(page, 'camera.png', 6)).entries()) {
    const form = new FormData();
    form.set('image', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), `camera-${n + 1}.jpg`);
    form.set('tag', 'photographer');
    form.set('name', `camera-${n + 1}.jpg`);
    await fetch(url('uploadImage', { token }), { method: 'POST', body: form });
  }
  const all = images.map(({ imageId }) => ({ imageId }));
  const { dataSetId } = (await (
    await fetch(url('createDataSet', { token }), post({ name: 'Things and grounds', images: all }))
  ).json()) as { dataSetId: string };
  for (let tries = 0; tries < 120; tries++) {
    const { state } = (await (await fetch(url('getDataSet', { token }), post({ dataSetId }))).json()) as {
      state: string;
    };
    if (state === 'ready') break;
    await new Promise((done) => setTimeout(done, 500));
  }
  return { application: id, dataSet: dataSetId };
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
