// 15. The API reference: accessible, complete, with programs that run and a form that sends requests.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server as HttpServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, expectAccessible, expectNoHorizontalScrolling, test } from '../test';
import { photo } from '../users';
import { Server } from '../server';

let server: Server;
let key: string;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  server = await Server.start({ models: true });
  key = server.run('key', 'create', '--app', 'docs', '--scope', 'operator').trim();
});
test.afterAll(() => server.stop());

for (const [colorScheme, width] of [
  ['light', 1400],
  ['dark', 390],
] as const) {
  test(`the page is accessible, ${colorScheme}, ${width} wide`, async ({ page }) => {
    test.setTimeout(300_000);
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.goto(`${server.base}/docs/#conceptClassify`);
    await expect(page.getByRole('heading', { name: 'conceptClassify' })).toBeInViewport();
    await page.getByRole('button', { name: /Send a request.*conceptClassify/ }).click();
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    await expectNoHorizontalScrolling(page);
    // All operations are of the same parts. Two of them say what all would say, in a tenth of the time.
    await page.evaluate(() => {
      for (const article of document.querySelectorAll('article'))
        article.hidden = !['conceptClassify', 'createDataSet'].includes(article.getAttribute('aria-labelledby') ?? '');
    });
    await expectAccessible(page);
  });
}

test('every operation is there, and found by its words', async ({ page }) => {
  const { paths } = (await (await fetch(`${server.base}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  await page.goto(`${server.base}/docs/`);
  for (const id of ids) await expect(page.getByRole('heading', { level: 3, name: id, exact: true })).toBeAttached();
  const list = page.getByRole('navigation', { name: 'Operations' });
  await expect(list.getByRole('link')).toHaveCount(ids.length);
  await page.getByLabel('Find an operation').fill('STATION near');
  await expect(list.getByRole('link')).toHaveText(['stationNear']);
  await page.getByLabel('Find an operation').fill('no such thing');
  await expect(page.getByText('No operation matches.')).toBeVisible();
});

test('the form sends a request, and shows answers, errors and pictures', async ({ page }) => {
  await page.goto(`${server.base}/docs/`);
  await page.getByLabel('Key', { exact: true }).fill(key);
  const operation = (id: string) => page.getByRole('article', { name: id, exact: true });
  const open = async (id: string) => {
    await operation(id)
      .getByRole('button', { name: /Send a request/ })
      .click();
    return operation(id);
  };
  const classify = await open('conceptClassify');
  await classify.getByLabel('image (required)').setInputFiles(photo('coffee.png'));
  await classify.getByLabel('language').fill('ja');
  await classify.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(classify.getByText('200 OK')).toBeVisible();
  await expect(classify.getByLabel('What was answered')).toContainText('エスプレッソ');

  const detail = await open('railmapDetail');
  await detail.getByLabel('id (required)').fill('tokyo');
  await detail.getByLabel('width', { exact: true }).fill('501');
  await detail.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(detail.getByText('400 Bad Request')).toBeVisible();
  await expect(detail.getByLabel('What was answered')).toContainText('W400');

  const data = await open('railmapData');
  for (const [name, value] of [
    ['id (required)', 'tokyo'],
    ['width', '200'],
    ['height', '200'],
  ] as const)
    await data.getByLabel(name, { exact: true }).fill(value);
  await data.getByRole('button', { name: 'Send', exact: true }).click();
  const picture = data.getByRole('img', { name: 'The answer' });
  await expect.poll(() => picture.evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBe(200);

  await page.reload();
  await expect(page.getByLabel('Key', { exact: true }), 'a key is not stored').toHaveValue('');
});

/** What the programs send goes through here, so that the status of every answer is seen. */
async function recorder(statuses: Map<string, number>): Promise<{ proxy: HttpServer; origin: string }> {
  const target = new URL(server.base);
  const proxy = createServer((incoming, answer) => {
    const { method, headers, url = '' } = incoming;
    const outgoing = request({ host: target.hostname, port: target.port, path: url, method, headers }, (received) => {
      statuses.set(`${method} ${url.split('?')[0]}`, received.statusCode ?? 0);
      answer.writeHead(received.statusCode ?? 500, received.headers);
      received.pipe(answer);
    });
    incoming.pipe(outgoing);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { proxy, origin: `http://127.0.0.1:${address.port}` };
}

const programs = {
  curl: (code: string) => ['bash', '-c', code],
  // pip has a copy of the library, so that nothing has to be installed.
  Python: (code: string) => [
    'python3',
    '-c',
    `import sys\nfrom pip._vendor import requests\nsys.modules["requests"] = requests\n${code}`,
  ],
  JavaScript: (code: string) => ['node', '--input-type=module', '-e', code],
};

for (const [language, command] of Object.entries(programs)) {
  test(`every program in ${language} sends what its operation takes`, async ({ page }) => {
    test.setTimeout(300_000);
    const statuses = new Map<string, number>();
    const { proxy, origin } = await recorder(statuses);
    const folder = mkdtempSync(join(tmpdir(), 'kaisatsu-samples-'));
    cpSync(photo('coffee.png'), join(folder, 'photo.jpg'));
    const asked = await fetch(`${server.base}/imageRecognition/v1/userCategory/getToken`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ userId: `user of ${language}` }),
    });
    const { token } = (await asked.json()) as { token: string };
    // A dataset of the storage area needs an image there.
    const tagged = `${server.base}/imageRecognition/v1/userCategory/uploadImage?token=${token}&tag=espresso`;
    const bare = { 'X-API-Key': key, 'Content-Type': 'application/octet-stream' };
    const body = readFileSync(photo('coffee.png'));
    expect((await fetch(tagged, { method: 'POST', headers: bare, body })).ok).toBe(true);
    const env = { ...process.env, KAISATSU_KEY: key, KAISATSU_TOKEN: token };
    try {
      await page.goto(`${server.base}/docs/`);
      await page.getByRole('radio', { name: language }).first().check({ force: true });
      const codes = await page
        .getByRole('article')
        .getByRole('group', { name: new RegExp(`^${language} for `) })
        .allTextContents();
      expect(codes.length).toBeGreaterThan(30);
      for (const code of codes) {
        const [program = '', ...args] = command(code.replaceAll(server.base, origin));
        // Many are answered 404, because what they name is not there; Python and JavaScript end with an error then.
        await promisify(execFile)(program, args, { cwd: folder, env }).catch(() => undefined);
      }
      const { paths } = (await (await fetch(`${server.base}/openapi.json`)).json()) as {
        paths: Record<string, object>;
      };
      const expected = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace('{name}', 'general')}`),
      );
      expect([...statuses.keys()].sort()).toEqual(expected.sort());
      const refused = [...statuses].filter(([, status]) => ![200, 202, 204, 404, 409].includes(status));
      expect(refused).toEqual([]);
      expect(existsSync(join(folder, 'answer.png'))).toBe(true);
    } finally {
      proxy.close();
      rmSync(folder, { recursive: true });
    }
  });
}
