// What operators see of the server, and people of the failed requests of their applications.
import { expect, expectAccessible, test } from '../test';
import { ConsoleUser, signIn } from '../users';
import { Server } from '../server';

let server: Server, operator: ConsoleUser;
test.beforeAll(async () => {
  server = await Server.start();
  operator = await ConsoleUser.register(server.base, 'operator@example.org');
});
test.afterAll(() => server.stop());

test('operators see the parts, the servers and the settings', async ({ page }) => {
  await signIn(page, server.base, 'operator@example.org');
  await page.getByRole('navigation').getByRole('link', { name: 'Server' }).click();
  const parts = page.getByRole('table', { name: 'Parts of the server' });
  await expect(parts.getByRole('row', { name: /^Database/ }).first()).toContainText('Working');
  await expect(parts.getByRole('row', { name: /^Models/ })).toContainText('kaisatsu models install');
  await expect(page.getByText('Everything is working')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No models are installed' })).toBeVisible();
  await page.getByRole('switch', { name: 'Show defaults' }).check({ force: true });
  const settings = page.getByRole('table', { name: 'Settings in force' });
  await expect(settings.getByRole('row', { name: /rate_limit/ })).toBeVisible();
});

test('the overview repeats what is wrong and leads to the page', async ({ page }) => {
  const part = { name: 'databaseDisk', state: 'failing', message: 'the disk that holds the database is full' };
  await page.route('**/console/api/status', (route) => route.fulfill({ json: { parts: [part] } }));
  await operator.application('station-guide');
  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/`);
  const todo = page.getByRole('link', { name: /Disk of the database: Failing/ });
  await expect(todo).toContainText('the disk that holds the database is full');
  await todo.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Server' })).toBeVisible();
});

test('jobs are counted, and it is said whose errors are listed', async ({ page }) => {
  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/server`);
  await expect(page.getByText('The last 50 requests that this server failed to answer')).toBeVisible();
  await page.route('**/console/api/operator/server', async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as {
      replicas: { id: string; address: string; thisOne: boolean }[];
      contents: { datasets: { name: string; count: number }[] };
    };
    json.contents.datasets = [
      { name: 'building', count: 2 },
      { name: 'queued', count: 11 },
      { name: 'ready', count: 5 },
    ];
    json.replicas[0]!.address = 'http://10.0.0.1:8640';
    json.replicas.push({ ...json.replicas[0]!, id: 'other', address: 'http://10.0.0.2:8640', thisOne: false });
    await route.fulfill({ response, json });
  });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('this server, http://10.0.0.1:8640, failed to answer')).toContainText(
    'The errors of the other server are in its own log.',
  );
  const jobs = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Jobs' }) });
  await expect(jobs.locator('dl')).toHaveText(/Running\s*2\s*Queued\s*11\s*Failed\s*0/);
  await expectAccessible(page);
});

test('people see the failed requests of their application', async ({ page }) => {
  const { id, key } = await operator.application('failing');
  const id1 = 'request-of-the-test';
  const answer = await fetch(`${server.base}/route_service/v1/railmapDetail?APIKEY=${key}&id=nowhere`, {
    headers: { 'X-Request-Id': id1 },
  });
  expect(answer.status).toBe(404);
  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/applications/${id}`);
  const table = page.getByRole('table', { name: 'Failed requests' });
  await expect(table.getByRole('row', { name: /railmapDetail/ })).toContainText(id1);
  await expect(table).toContainText('W404');
});

test('the overview says that requests fail, and leads to them', async ({ page }) => {
  const { key } = await operator.application('half-broken');
  const call = (id: string) => fetch(`${server.base}/route_service/v1/railmapDetail?APIKEY=${key}&id=${id}`);
  await signIn(page, server.base, 'operator@example.org');
  const overview = () => page.goto(`${server.base}/console/`);
  const todo = page.getByRole('link', { name: /of the requests of half-broken failed/ });
  for (let n = 0; n < 9; n++) await Promise.all([call('tokyo'), call('nowhere')]);
  await overview();
  await expect(page.getByRole('img', { name: /^Requests in the last 7 days/ })).toBeVisible();
  await expect(todo, 'eighteen requests are too few').toHaveCount(0);

  for (let n = 0; n < 3; n++) await Promise.all([call('tokyo'), call('nowhere')]);
  await expect(async () => {
    await overview();
    await expect(todo).toContainText('50%', { timeout: 10_000 });
  }).toPass();
  await expect(todo).toContainText('Of 24 requests in the last 24 hours, 12 were rejected (4xx).');
  await expect(page.getByText('Nothing needs your attention')).toHaveCount(0);
  await expectAccessible(page);
  await todo.click();
  await expect(page.getByRole('heading', { level: 1, name: 'half-broken' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Failed requests' })).toBeInViewport();
  await expect(page.getByRole('table', { name: 'Failed requests' })).toBeInViewport();
});
