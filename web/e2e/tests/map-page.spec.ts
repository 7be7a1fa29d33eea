// The public page of a map.
import type { Page } from '@playwright/test';
import { Server } from '../server';
import { expect, test } from '../test';

type Box = [number, number, number, number];
type Station = { code: number; name: string; boxes: [Box, ...Box[]] };
type MapData = { width: number; height: number; centre: number; stations: Station[] };
type Detail = { ResultSet: { RailMap: { Point: [{ Station: { code: string; Name: string } }] } } };

let server: Server;
let data: MapData;
test.beforeAll(async () => {
  server = await Server.start();
  data = (await (await fetch(`${server.base}/map/tokyo/data.json`)).json()) as MapData;
});
test.afterAll(() => server.stop());

const station = (name: string) => data.stations.find((one) => one.name === name)!;
/** The station that is shown first. */
const centreStation = () => data.stations[data.centre]!;

/** All visible tiles are loaded, and nothing moves. */
const ready = (page: Page) => expect(page.locator('#map')).toHaveAttribute('data-state', 'ready');

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${server.base}${path}`);
  await ready(page);
}

/** The position and the scale of the camera. */
async function camera(page: Page): Promise<{ x: number; y: number; scale: number }> {
  const view = (await page.locator('#map').getAttribute('data-view')) ?? '';
  const [x, y, scale] = view.split(',').map(Number) as [number, number, number];
  return { x, y, scale };
}
const scale = async (page: Page) => (await camera(page)).scale;

/** Where the centre of a box is on the screen. */
async function onScreen(page: Page, [left, top, width, height]: Box): Promise<{ x: number; y: number }> {
  const view = await camera(page);
  const size = page.viewportSize()!;
  return {
    x: (left + width / 2 - view.x) * view.scale + size.width / 2,
    y: (top + height / 2 - view.y) * view.scale + size.height / 2,
  };
}

/** Waits for the panel of a station and returns the response that it shows. */
async function panelResponse(page: Page, code: number): Promise<Detail> {
  const panel = page.locator('#panel');
  await expect(panel).toBeVisible();
  await expect(panel).toHaveAttribute('data-code', String(code));
  await expect(page.locator('#panel-json')).toHaveText(/^\{/);
  await ready(page);
  return JSON.parse((await page.locator('#panel-json').textContent())!) as Detail;
}
const codeOf = (response: Detail) => response.ResultSet.RailMap.Point[0].Station.code;

/** Replaces the text of the search box and waits for suggestions. */
async function search(page: Page, text: string) {
  await page.locator('#find').fill(text);
  await expect(page.locator('#found')).toBeVisible();
  return page.locator('#found [aria-selected=true] strong');
}

/** Records everything that should not happen on a page, and all addresses that it requests. */
function watch(page: Page) {
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => problems.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    requests.push(url);
    if (!url.startsWith(server.base) && !/^(about|blob):/.test(url)) problems.push(`a request to ${url}`);
  });
  page.on('requestfailed', (request) => {
    // Tiles that leave the view are cancelled.
    const reason = request.failure()?.errorText;
    if (reason !== 'net::ERR_ABORTED') problems.push(`${request.url()}: ${reason}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  return { problems, requests };
}

/** Takes a screenshot into the folder that KAISATSU_TEST_SCREENSHOTS names, if it is set. */
async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.KAISATSU_TEST_SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}` });
}

test.describe('on a desktop', () => {
  test.use({ locale: 'en-US' });

  test('a station is found by name, kana, code and former name', async ({ page }) => {
    const { problems } = watch(page);
    await open(page, '/map/tokyo');
    await screenshot(page, 'desktop.png');
    const [koenji, skytree] = [station('高円寺'), station('とうきょうスカイツリー')];
    for (const [text, wanted] of [
      ['高円寺', koenji],
      ['こうえんじ', koenji],
      ['コウエンジ', koenji],
      ['1131215', koenji],
      ['ﾄｳｷｮｳｽｶｲﾂﾘｰ', skytree],
      ['業平橋', skytree],
    ] as const) {
      await expect(await search(page, text), text).toHaveText(wanted.name);
      await page.keyboard.press('Enter');
      expect(codeOf(await panelResponse(page, wanted.code)), text).toBe(String(wanted.code));
      const view = await camera(page);
      const [left, top] = wanted.boxes[0];
      expect(Math.abs(view.x - left), text).toBeLessThan(400);
      expect(Math.abs(view.y - top), text).toBeLessThan(100);
      expect(view.scale, text).toBeGreaterThanOrEqual(1);
      await expect(page).toHaveURL(new RegExp(`#station=${wanted.code}&at=`));
    }
    expect(problems).toEqual([]);
  });

  test('a station in the address that is not on the map is named as a problem', async ({ page }) => {
    await open(page, '/map/tokyo#station=99');
    await expect(page.getByRole('alert')).toHaveText('That station is not on this map.');
  });

  test('suggestions are chosen by keyboard', async ({ page }) => {
    const { problems } = watch(page);
    await open(page, '/map/tokyo');
    const selected = await search(page, '新宿');
    const names = await page.locator('#found strong').allTextContents();
    expect(names[0]).toBe('新宿');
    await page.keyboard.press('ArrowDown');
    await expect(selected).toHaveText(names[1]!);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await panelResponse(page, station('新宿').code);
    expect(await page.locator('#panel-lines li').count()).toBeGreaterThan(4);
    await screenshot(page, 'desktop-panel.png');
    expect(problems).toEqual([]);
  });

  test('the panel shows what the API answers, in both geodetic datums', async ({ page }) => {
    const { problems } = watch(page);
    const key = /\bkst_\w+/.exec(server.output)![0];
    await open(page, '/map/tokyo');
    const tokyo = centreStation();
    // Its first mark, then its last name.
    for (const box of [tokyo.boxes[0], tokyo.boxes.at(-1)!]) {
      const at = await onScreen(page, box);
      await page.mouse.click(at.x, at.y);
      expect(codeOf(await panelResponse(page, tokyo.code))).toBe(String(tokyo.code));
      // Passengers come first: the response is folded until somebody asks for it.
      const details = page.locator('#panel-api');
      if (!(await details.evaluate((element: HTMLDetailsElement) => element.open))) {
        await details.locator('summary').click();
      }
      for (const [gcs, button] of [
        ['wgs84', 'WGS 84'],
        ['tokyo', 'Tokyo datum'],
      ] as const) {
        await page.getByRole('button', { name: button }).click();
        const shown: unknown = JSON.parse((await page.locator('#panel-json').textContent())!);
        const curl = (await page.locator('#panel-curl').textContent())!;
        expect(curl).toContain(`gcs=${gcs}`);
        const url = curl.split('"')[1]!.replace('$APIKEY', key);
        expect(shown, gcs).toEqual(await (await fetch(url)).json());
      }
      await page.keyboard.press('Escape');
      await expect(page.locator('#panel')).toBeHidden();
      await ready(page);
    }
    expect(problems).toEqual([]);
  });

  test('stations and lines are found as people type them', async ({ page }) => {
    await open(page, '/map/tokyo');
    for (const [text, name] of [
      ['shinjuku', '新宿'],
      ['東京駅', '東京'],
      ['四谷', '四ツ谷'],
      ['お茶の水', '御茶ノ水'],
      ['自由ヶ丘', '自由が丘'],
      ['霞が関', '霞ケ関'],
      ['山手線', 'JR山手線'],
    ] as const) {
      await expect(await search(page, text), text).toHaveText(name);
    }
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/#line=11302&at=/);
    await ready(page);
  });

  test('the map is shown in another language, and the address keeps it', async ({ page }) => {
    const { problems, requests } = watch(page);
    await open(page, '/map/tokyo#station=1130208');
    await expect(page.locator('#panel-name')).toHaveText('新宿');
    await page.locator('#language').selectOption('en');
    await ready(page);
    await expect(page).toHaveURL(/\/map\/tokyo\?language=en#station=1130208&at=/);
    await expect.poll(() => requests.some((url) => url.endsWith('.png?language=en'))).toBe(true);
    await ready(page);
    await screenshot(page, 'desktop-en.png');
    const response = await panelResponse(page, 1130208);
    expect(response.ResultSet.RailMap.Point[0].Station).toMatchObject({ Name: 'Shinjuku' });
    await page.reload();
    await ready(page);
    await expect(page.locator('#language')).toHaveValue('en');
    await expect(page).toHaveTitle('Shinjuku – Tokyo');
    expect(problems).toEqual([]);
  });

  test('a way is found between two boxes, highlighted, and kept in the address', async ({ page }) => {
    const { problems } = watch(page);
    await open(page, '/map/tokyo');
    await page.getByRole('button', { name: 'Find a route' }).click();
    for (const [box, text] of [
      ['#from', '新宿'],
      ['#to', '東京'],
    ] as const) {
      await page.locator(`${box}-input`).fill(text);
      await expect(page.locator(`${box}-found`)).toBeVisible();
      await page.locator(`${box}-input`).press('Enter');
    }
    const first = page.locator('#ways li button').first();
    await expect(first).toHaveAttribute('aria-pressed', 'true');
    await expect(first.locator('strong')).toHaveText(/^1\d min · direct$/);
    await expect(page).toHaveURL(/#from=1130208&to=1130101&at=/);
    await ready(page);
    await screenshot(page, 'desktop-way.png');
    const { hash } = new URL(page.url());
    await page.goto('about:blank');
    await open(page, `/map/tokyo${hash}`);
    await expect(page.locator('#ways li')).not.toHaveCount(0);
    await expect(page.locator('#from-input')).toHaveValue('新宿');
    // Escape ends it.
    await page.locator('#map').focus();
    await page.keyboard.press('Escape');
    await expect(page.locator('#ways li')).toHaveCount(0);
    expect(problems).toEqual([]);
  });

  test('the panel leads to the next stations, and Back leads back', async ({ page }) => {
    await open(page, '/map/tokyo#station=1131215');
    await expect(page.locator('#panel-name')).toHaveText('高円寺');
    await page.locator('#panel-lines').getByRole('button', { name: 'Nakano' }).first().click();
    await expect(page.locator('#panel-name')).toHaveText('中野');
    await ready(page);
    await page.goBack();
    await expect(page.locator('#panel-name')).toHaveText('高円寺');
    await page.goForward();
    await expect(page.locator('#panel-name')).toHaveText('中野');
  });

  test('the nearest station is found, and a page that nobody may embed has no HTML for it', async ({
    page,
    context,
  }) => {
    await context.grantPermissions(['geolocation']);
    await context.setGeolocation({ latitude: 35.7056, longitude: 139.6496 });
    await open(page, '/map/tokyo');
    await page.getByRole('button', { name: 'Where am I?' }).click();
    await expect(page.locator('#panel-name')).toHaveText('高円寺');
    await context.setGeolocation({ latitude: 0, longitude: 0 });
    await page.getByRole('button', { name: 'Where am I?' }).click();
    await expect(page.getByRole('alert')).toHaveText('This map has no station within 50 km.');
    await expect(page.locator('#embed')).toBeHidden();
  });

  test('wheel, keyboard, mouse and buttons move the map, and the address leads back to it', async ({ page }) => {
    const { problems } = watch(page);
    await open(page, '/map/tokyo');
    const before = await camera(page);
    // What is below the pointer stays there.
    const at = { x: 900 - 640, y: 300 - 400 };
    const below = (view: typeof before) => ({ x: view.x + at.x / view.scale, y: view.y + at.y / view.scale });
    await page.mouse.move(900, 300);
    await page.mouse.wheel(0, -240);
    await expect.poll(() => scale(page)).toBeGreaterThan(1);
    await ready(page);
    const closer = await camera(page);
    expect(closer.scale).toBeGreaterThan(before.scale);
    expect(Math.abs(below(before).x - below(closer).x)).toBeLessThan(0.5);
    expect(Math.abs(below(before).y - below(closer).y)).toBeLessThan(0.5);

    await page.locator('#map').focus();
    await page.keyboard.press('ArrowRight');
    await ready(page);
    expect(Math.abs(((await camera(page)).x - closer.x) * closer.scale - 80)).toBeLessThan(1);
    await page.keyboard.press('-');
    await expect.poll(() => scale(page)).toBeLessThan(closer.scale / 1.4);
    await ready(page);

    const still = await camera(page);
    await page.mouse.move(600, 500);
    await page.mouse.down();
    await page.mouse.move(550, 475);
    await page.mouse.move(500, 450);
    await page.mouse.up();
    await ready(page);
    const dragged = await camera(page);
    expect((dragged.x - still.x) * still.scale).toBeGreaterThanOrEqual(99);
    expect((dragged.y - still.y) * still.scale).toBeGreaterThanOrEqual(49);

    await page.getByRole('button', { name: 'Show the whole map' }).click();
    await expect.poll(async () => (await scale(page)) * data.width).toBeLessThanOrEqual(1280);
    await expect.poll(async () => (await scale(page)) * data.height).toBeLessThanOrEqual(800);
    await ready(page);
    await screenshot(page, 'desktop-whole.png');
    const whole = await camera(page);
    const scaleInAddress = () => Number(page.url().split(',').at(-1));
    await expect.poll(() => Math.abs(scaleInAddress() - whole.scale)).toBeLessThan(0.001);
    const { hash } = new URL(page.url());
    await page.goto('about:blank');
    await open(page, `/map/tokyo${hash}`);
    const again = await camera(page);
    for (const axis of ['x', 'y', 'scale'] as const) expect(Math.abs(again[axis] - whole[axis])).toBeLessThan(1);
    expect(problems).toEqual([]);
  });

  test('HTML in names is shown as text, and a map that is replaced is reloaded by the page', async ({ page }) => {
    const small = (name: string, x: number) =>
      [
        'format = 1\nid = "small"\nname = "<b>small</b>"\nwidth = 900\nheight = 600\ncentre = 1',
        `[[station]]\ncode = 1\nname = "${name}"\nyomi = "えき"\ntranslation = "Ō-machi"\nlat = 35.0\nlon = 139.0`,
        `marks = [{ shape = "rect", x = ${x}, y = 310, width = 90, height = 16, text = true },`,
        `{ shape = "circle", x = ${x}, y = 300, r = 5 }]\n`,
      ].join('\n');
    await server.writeMap('small', small('<i>一</i>', 400), () => true);
    const { problems } = watch(page);
    await open(page, '/map/small#station=1');
    await expect(page).toHaveTitle('<i>一</i> – <b>small</b>');
    await expect(page.locator('#panel-name')).toHaveText('<i>一</i>');
    await expect(page.locator('h1')).toHaveText('<b>small</b>');
    // Latin letters are found without their accents and hyphens.
    await search(page, 'omachi');
    await expect(page.locator('#found small')).toHaveText('えき · Ō-machi');
    expect(problems).toEqual([]);

    await server.writeMap('small', small('二', 500), (json) => json.includes('二'));
    // The other style needs tiles that are not loaded yet, and the server no longer has the old ones.
    await page.getByRole('button', { name: 'Dark mode' }).click();
    await expect(page.locator('#panel-name')).toHaveText('二');
    await ready(page);
  });
});

test.describe('for a person who prefers dark pages', () => {
  test.use({ locale: 'en-US', colorScheme: 'dark' });

  test('a line is highlighted, and the chosen style is remembered', async ({ page }) => {
    const { problems, requests } = watch(page);
    const tiles = (style: string) => requests.filter((url) => url.includes(`/${style}/`)).length;
    await open(page, '/map/tokyo');
    expect(tiles('dark')).toBeGreaterThan(0);
    expect(tiles('light')).toBe(0);
    await screenshot(page, 'desktop-dark.png');
    await page.getByRole('button', { name: 'Lines' }).click();
    const line = page.locator('#lines [data-code="11302"]');
    await line.click();
    await ready(page);
    await expect(line).toHaveAttribute('aria-pressed', 'true');
    await screenshot(page, 'desktop-line-dark.png');
    await page.getByRole('button', { name: 'Dark mode' }).click();
    await expect(page.locator('html')).toHaveAttribute('data-style', 'light');
    await ready(page);
    expect(tiles('light')).toBeGreaterThan(0);
    await screenshot(page, 'desktop-line.png');
    // A choice takes precedence over the preference.
    await open(page, '/map/tokyo');
    await expect(page.locator('html')).toHaveAttribute('data-style', 'light');
    expect(problems).toEqual([]);
  });
});

test.describe('on a phone in Japanese', () => {
  test.use({
    locale: 'ja-JP',
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 3,
    isMobile: true,
    hasTouch: true,
  });

  test('fingers zoom the map and open stations', async ({ page, context }) => {
    const { problems } = watch(page);
    await open(page, '/map/tokyo');
    await screenshot(page, 'phone.png');
    await expect(page.locator('html')).toHaveAttribute('lang', 'ja');
    await expect(page.locator('#find')).toHaveAttribute('placeholder', '駅名・かな・路線・駅コード');

    const before = await camera(page);
    const devtools = await context.newCDPSession(page);
    const fingers = (apart: number) => [
      { x: 195 - apart, y: 400, id: 0 },
      { x: 195 + apart, y: 400, id: 1 },
    ];
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: ReturnType<typeof fingers>) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints });
    await touch('touchStart', fingers(40));
    await touch('touchMove', fingers(60));
    await touch('touchMove', fingers(80));
    await touch('touchEnd', []);
    await ready(page);
    expect(Math.abs((await scale(page)) / before.scale - 2)).toBeLessThan(0.1);

    const tokyo = centreStation();
    const at = await onScreen(page, tokyo.boxes[0]);
    await page.touchscreen.tap(at.x, at.y);
    expect(codeOf(await panelResponse(page, tokyo.code))).toBe(String(tokyo.code));
    await screenshot(page, 'phone-panel.png');
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);

    await page.locator('#panel .close').tap();
    await page.locator('#lines-button').tap();
    await screenshot(page, 'phone-lines.png');
    await page.locator('#lines [data-code="11302"]').tap();
    await expect(page.locator('#lines')).toBeHidden();
    await ready(page);
    await screenshot(page, 'phone-line.png');
    expect(problems).toEqual([]);
  });
});
