// What operators see of the server, and people of the failed requests of their applications.
import { expect, test } from '../test';
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
  await expect(parts.getByRole('row', { name: /^Database/ }).first()).toContainText('Works');
  await expect(parts.getByRole('row', { name: /^Models/ })).toContainText('kaisatsu models install');
  await expect(page.getByText('Everything works')).toBeVisible();
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
