// The first visit: from any page to an account, an application, a first answered request, and back to that page.
import { expect, expectAccessible, test } from '../test';
import { password } from '../users';
import { Server } from '../server';

test('leads to a first answered request and back to where the person came from', async ({ page }) => {
  const server = await Server.start({ args: ['--first-key', 'false'] });
  try {
    await page.goto(`${server.base}/console/recognition?tab=text`);
    await expect(page).toHaveURL(/\/console\/register\?next=/);
    await page.getByLabel('E-mail').fill('hana@example.org');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.locator('form').getByRole('button').last().click();
    await expect(page).toHaveURL(/\/console\/recognition/);

    await page.getByRole('link', { name: 'Create application' }).click();
    const make = page.getByRole('dialog', { name: 'Create application' });
    await make.getByRole('textbox').fill('Ticket hall');
    await make.getByRole('button', { name: 'Create' }).click();
    const key = page.getByRole('dialog', { name: 'Your new API key' });
    await key.getByRole('button', { name: 'Send a first request' }).click();
    await expect(key.getByText('The server has answered', { exact: false })).toBeVisible();
    await expectAccessible(page);
    await key.getByRole('button', { name: 'Done' }).click();
    await key.getByRole('button', { name: 'Close without copying' }).click();
    await expect(page).toHaveURL(/\/console\/recognition/);
    await expect(page.getByRole('link', { name: 'Create application' })).toHaveCount(0);
  } finally {
    await server.stop();
  }
});
