// 1. Operators approve, disable and delete accounts.   6. Feedback: precision over time, comments, revoking.
import { expect, test } from '../test';
import { ConsoleUser, classify, rate, signIn } from '../users';
import { Server } from '../server';

test.describe('operators', () => {
  let server: Server, operator: ConsoleUser;
  test.beforeAll(async () => {
    server = await Server.start();
    operator = await ConsoleUser.register(server.base, 'operator@example.org');
  });
  test.afterAll(() => server.stop());

  test('close registration, approve, disable', async ({ page, browser }) => {
    await signIn(page, server.base, 'operator@example.org');
    await page.getByRole('navigation').getByRole('link', { name: 'Operator' }).click();
    await page.getByRole('radio', { name: /^With approval/ }).check({ force: true });
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('New accounts now require approval')).toBeVisible();

    const other = await (await browser.newContext()).newPage();
    await other.goto(`${server.base}/console/register`);
    await other.getByLabel('E-mail').fill('hana@example.org');
    await other.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await other.getByRole('button', { name: 'Register' }).click();
    await expect(other.getByText('Waiting for approval')).toBeVisible();

    await page.reload();
    await page.getByRole('button', { name: 'Approve hana@example.org' }).click();
    await expect(page.getByText('hana@example.org can sign in now')).toBeVisible();
    await signIn(other, server.base, 'hana@example.org');
    await expect(other.getByRole('navigation').getByRole('link', { name: 'Applications' })).toBeVisible();

    await page.getByRole('button', { name: 'Actions for hana@example.org' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await expect(page.getByText('hana@example.org has been disabled')).toBeVisible();
    await other.goto(`${server.base}/console/applications`);
    await expect(other).toHaveURL(/sign-in/);

    await page.getByRole('radio', { name: /^Nobody/ }).check({ force: true });
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Registration is now closed')).toBeVisible();
    await other.goto(`${server.base}/console/register`);
    await expect(other.getByText('Registration is closed').first()).toBeVisible();
    await other.context().close();
    expect((await operator.call('GET', 'session')).registration).toBe('closed');
  });

  test('delete an account by typing its address', async ({ page }) => {
    await operator.call('PUT', 'operator/registration', { mode: 'open' });
    await (await ConsoleUser.register(server.base, 'taro@example.org')).application('taro’s app');
    await signIn(page, server.base, 'operator@example.org');
    await page.goto(`${server.base}/console/operator`);
    await page.getByRole('button', { name: 'Actions for taro@example.org' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('taro’s app');
    const go = dialog.getByRole('button', { name: 'Delete permanently' });
    await expect(go).toBeDisabled();
    await dialog.getByRole('textbox').fill('taro@example.org');
    await go.click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('button', { name: 'Actions for taro@example.org' })).toHaveCount(0);
  });

  test.describe('west of Greenwich', () => {
    test.use({ timezoneId: 'America/New_York' });

    test('see a day of the precision under the date that it has in UTC', async ({ page }) => {
      const points = [{ at: '2026-03-10T00:00:00Z', valid: 3, invalid: 1 }];
      const json = {
        stepSeconds: 86_400,
        from: '2026-02-09T00:00:00Z',
        to: '2026-03-11T00:00:00Z',
        series: [{ task: 'classify', model: 'photos', points }],
      };
      await page.route('**/console/api/feedback/timeline*', (route) => route.fulfill({ json }));
      await signIn(page, server.base, 'operator@example.org');
      await page.goto(`${server.base}/console/feedback`);
      for (const name of [/^Precision over time/, /^Verdicts per day/])
        await expect(page.getByRole('table', { name }).getByRole('rowheader')).toHaveText(['10 Mar 2026']);
      await expect(page.getByText('Days are counted in UTC.')).toBeVisible();
    });
  });
});

test('feedback is plotted, read, searched and revoked', async ({ page }) => {
  test.setTimeout(180_000);
  const server = await Server.start({ models: true });
  try {
    const operator = await ConsoleUser.register(server.base, 'operator@example.org');
    const { key } = await operator.application('station-guide');
    const seen = await classify(server.base, key, 'chelsea.png');
    const [first, second] = seen.candidates as [{ itemId: string }, { itemId: string }];
    await rate(server.base, key, seen.recognitionId, first.itemId, true, '猫です。合っています');
    await rate(server.base, key, seen.recognitionId, second.itemId, false, 'No, that is another cat');
    await signIn(page, server.base, 'operator@example.org');
    await page.getByRole('navigation').getByRole('link', { name: 'Feedback' }).click();
    await expect(page.getByText('猫です。合っています')).toBeVisible();
    await expect(page.getByText('No, that is another cat')).toBeVisible();
    await expect(
      page
        .getByRole('img', { name: /precision/i })
        .or(page.getByRole('figure', { name: /precision/i }))
        .first(),
    ).toBeVisible();
    await page.getByLabel('Search in comments').fill('another');
    await expect(page.getByText('猫です。合っています')).toBeHidden();
    await page.getByRole('button', { name: /^Revoke the verdict on/ }).click();
    await page.getByRole('dialog', { name: 'Revoke this verdict?' }).getByRole('button', { name: 'Revoke' }).click();
    await expect(page.getByRole('list', { name: 'Verdicts and comments' }).getByRole('listitem').first()).toContainText(
      'Revoked',
    );
    const left = await operator.call<{ verdicts: { itemId: string }[] }>('GET', 'feedback?standing=revoked');
    expect(left.verdicts.map((one) => one.itemId)).toEqual([second.itemId]);
  } finally {
    await server.stop();
  }
});
