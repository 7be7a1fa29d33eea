// Text entered by users is always rendered as text.
import { readFileSync } from 'node:fs';
import { expect, test } from '../test';
import { ConsoleUser, classify, password, photo, rate, signIn } from '../users';
import { Server } from '../server';

const attack = (name: string) =>
  `<img src=x onerror="window.hit='${name}'"><script>window.hit='${name}'</script>"'{{1+1}}`;

let server: Server, operator: ConsoleUser, application: { id: string; key: string };
let made: { user: string; dataSetId: string };
const api = (path: string, query: Record<string, string> = {}) =>
  `${server.base}/imageRecognition/v1/${path}?${new URLSearchParams({ APIKEY: application.key, ...query })}`;

async function json<A>(url: string, body: unknown): Promise<A> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url.replace(/\?.*/, '')}: ${await answer.text()}`);
  return (await answer.json()) as A;
}

test.beforeAll(async () => {
  test.setTimeout(240_000);
  server = await Server.start({ models: true });
  operator = await ConsoleUser.register(server.base, 'operator@example.org');
  await ConsoleUser.register(server.base, "o'hana+{{x}}&lt@example.org");
  // The User-Agent header is controlled by the client and shown in the list of sessions.
  const headers = { 'content-type': 'application/json', 'user-agent': attack('agent') };
  await fetch(`${server.base}/console/api/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ email: 'operator@example.org', password }),
  });
  application = await operator.application(attack('application').slice(0, 100));
  const seen = await classify(server.base, application.key, 'chelsea.png');
  await rate(server.base, application.key, seen.recognitionId, seen.candidates[0]!.itemId, false, attack('comment'));
  const user = attack('user');
  const { token } = await json<{ token: string }>(api('userCategory/getToken'), { userId: user });
  const form = new FormData();
  form.set('image', new Blob([readFileSync(photo('chelsea.png'))]), attack('file'));
  form.set('tag', attack('tag').slice(0, 100));
  form.set('name', attack('name').slice(0, 100));
  const upload = await fetch(api('userCategory/uploadImage', { token }), { method: 'POST', body: form });
  if (!upload.ok) throw new Error(await upload.text());
  const { imageId } = (await upload.json()) as { imageId: string };
  const { dataSetId } = await json<{ dataSetId: string }>(api('userCategory/createDataSet', { token }), {
    name: attack('dataset').slice(0, 100),
    images: [{ imageId }, { url: `http://127.0.0.1:9/${encodeURIComponent(attack('url'))}`, tag: 'b' }],
  });
  made = { user, dataSetId };
});
test.afterAll(() => server.stop());

test('nothing that was written anywhere runs', async ({ page }) => {
  test.setTimeout(240_000);
  await signIn(page, server.base, 'operator@example.org');
  const { user, dataSetId } = made;
  const query = `user=${encodeURIComponent(user)}`;
  const paths = [
    '',
    'applications',
    `applications/${application.id}`,
    'recognition',
    `datasets?${query}`,
    `datasets/${dataSetId}?${query}`,
    'feedback',
    'operator',
    'account',
  ];
  for (const path of paths) {
    await page.goto(`${server.base}/console/${path}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate(() => (window as { hit?: unknown }).hit), path).toBeUndefined();
    expect(await page.locator('img[src="x"]').count(), path).toBe(0);
  }
  await page.goto(`${server.base}/console/feedback`);
  await expect(page.getByText(attack('comment')).first()).toBeVisible();
  await page.goto(`${server.base}/console/applications`);
  await expect(page.getByText(attack('application').slice(0, 100)).first()).toBeVisible();
});

test('an address leads nowhere else, and its words stay words', async ({ page }) => {
  for (const next of ['//evil.example', 'https://evil.example/', 'javascript:window.hit=1', '/\\evil.example']) {
    await page.context().clearCookies();
    await page.goto(`${server.base}/console/sign-in?next=${encodeURIComponent(next)}`);
    await page.getByLabel('E-mail').fill('operator@example.org');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
    expect(new URL(page.url()).origin).toBe(new URL(server.base).origin);
    expect(await page.evaluate(() => (window as { hit?: unknown }).hit)).toBeUndefined();
  }
});
