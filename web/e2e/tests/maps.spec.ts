// 3. Route map explorer: pan, zoom, search, and a window with its request and response.
import { expect, expectAccessible, test } from '../test';
import { ConsoleUser, signIn } from '../users';
import { Server } from '../server';

let server: Server;
let application: { id: string; key: string };
test.beforeAll(async () => {
  server = await Server.start();
  application = await (await ConsoleUser.register(server.base, 'operator@example.org')).application('station-guide');
});
test.afterAll(() => server.stop());

test.beforeEach(async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.base });
  await signIn(page, server.base, 'operator@example.org');
});

/** The map position at the centre of the canvas, and the screen pixels per map unit. */
async function look(page: import('@playwright/test').Page): Promise<{ x: number; y: number; scale: number }> {
  const text = (await page.getByRole('application').getAttribute('data-view'))!;
  const [x, y, scale] = text.split(',').map(Number) as [number, number, number];
  return { x, y, scale };
}

/** The same, once the camera has stopped moving. */
async function settled(page: import('@playwright/test').Page): Promise<{ x: number; y: number; scale: number }> {
  let before = await look(page);
  for (;;) {
    await page.waitForTimeout(150);
    const now = await look(page);
    if (now.x === before.x && now.y === before.y && now.scale === before.scale) return now;
    before = now;
  }
}

test('the maps there are are shown, and one is explored by hand and by keyboard', async ({ page }) => {
  await page.getByRole('navigation').getByRole('link', { name: 'Maps' }).click();
  const card = page.getByRole('article').filter({ hasText: '東京' });
  await expect(card).toBeVisible();
  await card.getByRole('link', { name: 'Explore' }).click();
  const map = page.getByRole('application', { name: /東京/ });
  await expect(map).toHaveAttribute('data-state', 'ready');
  await expectAccessible(page);
  const first = await look(page);
  const box = (await map.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, -600);
  await expect.poll(async () => (await look(page)).scale).toBeGreaterThan(first.scale);
  const before = await settled(page);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 120, box.y + box.height / 2 - 60, { steps: 5 });
  await page.mouse.up();
  await expect.poll(async () => (await look(page)).x).toBeGreaterThan(before.x);
  await page.getByRole('button', { name: 'Show the whole map' }).click();
  await expect.poll(async () => (await look(page)).scale).toBeLessThan(before.scale);
  const whole = await settled(page);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect.poll(async () => (await look(page)).scale).toBeGreaterThan(whole.scale);
  await map.focus();
  const here = await settled(page);
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => (await look(page)).x).toBeGreaterThan(here.x);
});

for (const [by, text] of [
  ['kana', 'こうえんじ'],
  ['name', '高円寺'],
  ['code', '1131215'],
]) {
  test(`a station is found by ${by}`, async ({ page }) => {
    await page.goto(`${server.base}/console/maps/tokyo`);
    await expect(page.getByRole('application')).toHaveAttribute('data-state', 'ready');
    await page.getByRole('combobox', { name: 'Find a station' }).fill(text!);
    await page
      .getByRole('listbox', { name: 'Stations found' })
      .getByRole('option', { name: /高円寺/ })
      .first()
      .click();
    await expect(page.getByRole('heading', { level: 2, name: '高円寺' })).toBeVisible();
    await page.getByRole('button', { name: 'By code' }).click();
    await expect(
      page.getByRole('list', { name: 'Stations in the response' }).getByRole('button', { name: /高円寺/ }),
    ).toBeVisible();
  });
}

test('a window that is drawn shows its request, and what the server answers', async ({ page }) => {
  await page.goto(`${server.base}/console/maps/tokyo`);
  const map = page.getByRole('application');
  await expect(map).toHaveAttribute('data-state', 'ready');
  await page.getByRole('button', { name: 'Draw a window' }).click();
  const box = (await map.boundingBox())!;
  const { scale } = await look(page);
  const side = Math.min(200, 400 * scale);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + side, box.y + box.height / 2 + side, { steps: 6 });
  await page.mouse.up();
  const field = async (name: string) => Number(await page.getByRole('spinbutton', { name, exact: true }).inputValue());
  await expect.poll(() => field('width')).toBeGreaterThan(50);
  const window = {
    x: await field('x'),
    y: await field('y'),
    width: await field('width'),
    height: await field('height'),
  };
  await expect(page.getByRole('status').filter({ hasText: /station/ })).toContainText(/\d+ station/);
  const query = new URLSearchParams({
    APIKEY: application.key,
    id: 'tokyo',
    ...Object.fromEntries(Object.entries(window).map(([k, v]) => [k, String(v)])),
  });
  const answer = (await (await fetch(`${server.base}/route_service/v1/railmapDetail?${query}`)).json()) as {
    ResultSet: { RailMap: { Point: unknown[] } };
  };
  const shown = page.getByRole('list', { name: 'Stations in the response' }).getByRole('button');
  await expect(shown).toHaveCount(answer.ResultSet.RailMap.Point.length);
  await page.getByRole('group', { name: 'The request as curl' }).getByRole('button', { name: 'Copy' }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain('curl');
  expect(copied).toContain(`width=${window.width}`);
  expect(copied).toContain('$KAISATSU_KEY');
  expect(copied).not.toContain('kst_');
});

test('what the server refuses is said in its words', async ({ page }) => {
  await page.goto(`${server.base}/console/maps/tokyo`);
  await expect(page.getByRole('application')).toHaveAttribute('data-state', 'ready');
  for (const [name, value] of [
    ['x', '100'],
    ['y', '100'],
    ['width', '501'],
    ['height', '10'],
  ]) {
    await page.getByRole('spinbutton', { name: name!, exact: true }).fill(value!);
  }
  await expect(page.getByRole('alert')).toContainText('1 to 500');
});
