// 2. Applications and keys: creating, rotating, disabling; usage; quotas.
import { expect, expectAccessible, test } from '../test';
import { ConsoleUser, password, signIn } from '../users';
import { Server, waitUntil } from '../server';

let server: Server, operator: ConsoleUser;
test.beforeAll(async () => {
  server = await Server.start();
  operator = await ConsoleUser.register(server.base, 'operator@example.org');
});
test.afterAll(() => server.stop());

const list = async (key: string) => (await fetch(`${server.base}/route_service/v1/railmapList?APIKEY=${key}`)).status;

test('an application is made, and its key shown once works', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.base });
  await signIn(page, server.base, 'operator@example.org');
  await page.getByRole('navigation').getByRole('link', { name: 'Applications' }).click();
  await page.getByRole('button', { name: 'Create application' }).first().click();
  const make = page.getByRole('dialog', { name: 'Create application' });
  await make.getByRole('textbox', { name: 'Name' }).fill('時刻表アプリ');
  await make.getByRole('button', { name: 'Create' }).click();
  const secret = page.getByRole('dialog', { name: 'Your new API key' });
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(secret, 'a key that is shown once is not lost by a slip').toBeVisible();
  await secret.getByRole('group', { name: 'API key' }).getByRole('button', { name: 'Copy' }).click();
  const key = await page.evaluate(() => navigator.clipboard.readText());
  expect(key).toMatch(/^kst_/);
  expect(await list(key)).toBe(200);
  await secret.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('heading', { level: 1, name: '時刻表アプリ' })).toBeVisible();

  const hint = key.slice(-4);
  await page.getByRole('button', { name: `Rotate …${hint}` }).click();
  await page.getByRole('dialog').getByLabel('Keep the old key working for').selectOption({ label: '1 hour' });
  await page.getByRole('dialog').getByRole('button', { name: 'Create new key' }).click();
  await page.getByRole('group', { name: 'API key' }).getByRole('button', { name: 'Copy' }).click();
  const next = await page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Done' }).click();
  expect(next).not.toBe(key);
  expect([await list(key), await list(next)]).toEqual([200, 200]);
  await page.getByRole('button', { name: `Disable …${next.slice(-4)}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await waitUntil('the key is refused', async () => (await list(next)) === 403);
  await expect(page.getByRole('button', { name: `Enable …${next.slice(-4)}` })).toBeVisible();
  await page.reload();
  await expect(page.getByText(key), 'no secret is shown again').toHaveCount(0);
});

test('a key is created with a scope, places and a lifetime, and the list shows them', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.base });
  const { id } = await operator.application('terms');
  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/applications/${id}`);
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create key' });
  await dialog.getByLabel('Scope').selectOption('Restricted');
  await expect(dialog.getByText('cannot issue tokens')).toBeVisible();
  const places = dialog.getByRole('textbox', { name: /Allowed origins and networks/ });
  const wrong = dialog.getByText('“maps.example.org/path” is not an origin');
  await places.fill('https://maps.example.org\nmaps.example.org/path');
  await expect(wrong, 'not while somebody is typing').toHaveCount(0);
  await places.press('Tab');
  await expect(wrong).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Create key' })).toBeDisabled();
  await places.fill('https://maps.example.org\n192.0.2.0/24');
  await dialog.getByLabel('Expires after').selectOption('90 days');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const secret = page.getByRole('dialog', { name: 'Your new API key' });
  await secret.getByRole('group', { name: 'API key' }).getByRole('button', { name: 'Copy' }).click();
  const key = await page.evaluate(() => navigator.clipboard.readText());
  await secret.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('button', { name: 'Create key' }), 'where it all began').toBeFocused();

  const row = page.getByRole('row', { name: new RegExp(`…${key.slice(-4)}`) });
  await expect(row).toContainText('Restricted');
  await expect(row).toContainText('Only from https://maps.example.org, 192.0.2.0/24');
  const expires = new Date(Date.now() + 90 * 86_400_000);
  await expect(row).toContainText(String(expires.getUTCFullYear()));
  await expect(row).toContainText('Active');
  await expectAccessible(page);
  expect(await list(key), 'not from here').toBe(403);
  const url = `${server.base}/route_service/v1/railmapList?APIKEY=${key}`;
  const from = (origin: string) => fetch(url, { headers: { origin } });
  expect((await from('https://maps.example.org')).status).toBe(200);
  expect((await from('https://elsewhere.example.org')).status).toBe(403);

  const { keys } = await operator.call<{ keys: { hint: string; createdAt: string; expiresAt: string }[] }>(
    'GET',
    `applications/${id}`,
  );
  const made = keys.find((one) => one.hint === key.slice(-4))!;
  expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBe(90 * 86_400_000);
  await page.getByRole('button', { name: `Rotate …${key.slice(-4)}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create new key' }).click();
  await secret.getByRole('group', { name: 'API key' }).getByRole('button', { name: 'Copy' }).click();
  await secret.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('Only from https://maps.example.org, 192.0.2.0/24')).toHaveCount(2);
});

test('people who are no operators create no keys of operators', async ({ page }) => {
  const member = await ConsoleUser.register(server.base, 'member@example.org');
  const { id } = await member.application('members');
  await signIn(page, server.base, 'member@example.org');
  await page.goto(`${server.base}/console/applications/${id}`);
  await page.getByRole('button', { name: 'Create key' }).click();
  const scope = page.getByRole('dialog', { name: 'Create key' }).getByLabel('Scope');
  await expect(scope.getByRole('option')).toHaveText(['Standard', 'Restricted']);
});

test('what is called is seen in charts, by operation and by key', async ({ page }) => {
  const { id, key } = await operator.application('called');
  for (let n = 0; n < 5; n++) await list(key);
  await fetch(`${server.base}/route_service/v1/railmapDetail?APIKEY=${key}&id=tokyo&width=501&height=1`);
  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/applications/${id}`);
  const totals = page.getByRole('table', { name: 'Totals by operation' });
  await expect(totals.getByRole('row', { name: /railmapList/ })).toContainText('5');
  await expect(totals.getByRole('row', { name: /railmapDetail/ })).toContainText('100');
  await expect(page.getByRole('img', { name: /^Requests over time/ })).toBeVisible();
  await page.getByRole('tab', { name: 'Errors' }).click();
  await expect(page.getByRole('img', { name: /^Refused and failed requests over time/ })).toBeVisible();
  await page.getByRole('tab', { name: 'Response time' }).click();
  await expect(page.getByRole('img', { name: /^Response times/ })).toBeVisible();
  await expectAccessible(page);
});

test('a quota is set, used up, and said', async ({ page }) => {
  const { id, key } = await operator.application('limited');
  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/applications/${id}`);
  await page.getByRole('button', { name: 'Change quota' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Quota', { exact: true }).selectOption({ index: 1 });
  const number = dialog.getByRole('textbox', { name: 'Requests per day' });
  if (!(await number.isVisible())) await dialog.getByLabel('Quota', { exact: true }).selectOption({ index: 2 });
  await number.fill('2');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  await waitUntil('the quota is held', async () => {
    const answer = await fetch(`${server.base}/route_service/v1/railmapList?APIKEY=${key}`);
    return answer.status === 429 && (await answer.text()).includes('quota of 2 requests a day');
  });
  await page.reload();
  await expect(page.getByRole('progressbar', { name: 'Quota used today' })).toBeVisible();
});

test('an application is deleted by typing its name', async ({ page }) => {
  const { id, key } = await operator.application('short-lived');
  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/applications/${id}`);
  await page.getByRole('button', { name: 'Delete application' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(/1 (API )?key/);
  await dialog.getByRole('textbox').fill('short-lived');
  await dialog.getByRole('button', { name: 'Delete application' }).click();
  await expect(page).toHaveURL(/\/console\/applications$/);
  await waitUntil('its key is refused', async () => (await list(key)) !== 200);
});

test('a dialog closes neither by a slip of the mouse nor while its request is under way', async ({ page }) => {
  const { id, key } = await operator.application('careful');
  const hint = key.slice(-4);
  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/applications/${id}`);
  await page.getByRole('button', { name: 'Rename' }).click();
  const dialog = page.getByRole('dialog');
  const name = dialog.getByRole('textbox');
  await name.fill('more careful');
  const box = (await name.boundingBox())!;
  await page.mouse.move(box.x + 60, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(5, 5, { steps: 4 });
  await page.mouse.up();
  await expect(name, 'a text was selected past the edge').toHaveValue('more careful');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();

  let letGo = () => {};
  const held = new Promise<void>((go) => (letGo = go));
  await page.route('**/console/api/applications/*/keys/*', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: `Disable …${hint}` }).click();
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await expect(dialog).toBeVisible();
  letGo();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: `Enable …${hint}` })).toBeVisible();
});

test('an application of the command line is taken over by the operator, and works as before', async ({ page }) => {
  const key = server.run('key', 'create', '--app', 'ticket hall').trim();
  expect(await list(key)).toBe(200);
  await signIn(page, server.base, 'operator@example.org');
  await page.getByRole('navigation').getByRole('link', { name: 'Operator' }).click();
  await page.getByRole('tab', { name: 'Applications' }).click();
  const row = page.getByRole('row', { name: /ticket hall/ });
  await expect(row).toContainText('command line');
  await row.getByRole('link', { name: 'ticket hall' }).click();
  await expect(page.getByText('This application has no owner')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Take over' }).click();
  await expect(page.getByText('The application is now yours.')).toBeVisible();
  await expect(page.getByText('This application has no owner')).toHaveCount(0);
  await page.getByRole('navigation').getByRole('link', { name: 'Applications' }).click();
  await expect(page.getByRole('link', { name: 'ticket hall' })).toBeVisible();
  expect(await list(key), 'its key still works').toBe(200);
});

test('what one person asks for is not done as another, who signed in in the next tab', async ({ page, context }) => {
  const hana = await ConsoleUser.register(server.base, 'hana@example.org');
  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/applications`);
  await page.getByRole('button', { name: 'Create application' }).first().click();
  const make = page.getByRole('dialog', { name: 'Create application' });
  await make.getByRole('textbox', { name: 'Name' }).fill('whose is it');
  const other = await context.request.post(`${server.base}/console/api/session`, {
    data: { email: 'hana@example.org', password },
  });
  expect(other.ok()).toBe(true);
  await make.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByText('This browser is now signed in to another account.')).toBeVisible();
  await expect(page.getByRole('button', { name: /hana@example\.org/ })).toBeVisible();
  for (const person of [operator, hana]) {
    const { applications } = await person.call<{ applications: { name: string }[] }>('GET', 'applications');
    expect(applications.map((one) => one.name)).not.toContain('whose is it');
  }
});
