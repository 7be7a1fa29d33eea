// 1. Accounts: registration, signing in and out, passwords, e-mails, deletion.
import { SMTPServer } from 'smtp-server';
import { expect, expectAccessible, test } from '../test';
import { ConsoleUser, password, signIn } from '../users';
import { Server, waitUntil } from '../server';

test.describe('without a mail server', () => {
  let server: Server;
  test.beforeAll(async () => void (server = await Server.start()));
  test.afterAll(() => server.stop());

  test('the first person sets the server up and is its operator', async ({ page }) => {
    await page.goto(`${server.base}/console/`);
    await expect(page, 'nobody could sign in yet').toHaveURL(/register/);
    await expect(page.getByText('You will be the operator')).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel('E-mail').fill('operator@example.org');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Register as operator' }).click();
    await expect(page.getByText('At least 10 characters are required; you have entered 5.')).toBeVisible();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('navigation').getByRole('link', { name: 'Operator' })).toBeVisible();
    const cookies = await page.context().cookies(`${server.base}/console/`);
    const described = cookies.map(({ name, httpOnly, sameSite, path }) => ({ name, httpOnly, sameSite, path }));
    expect(described.sort((a, b) => a.name.localeCompare(b.name))).toEqual(
      // The second tells a browser that signed in before from a stranger who guesses passwords.
      ['kaisatsu_browser', 'kaisatsu_session'].map((name) => {
        return { name, httpOnly: true, sameSite: 'Strict', path: '/console' };
      }),
    );
  });

  test('everybody after the first waits for approval, and is told so', async ({ page, browser }) => {
    const other = await (await browser.newContext()).newPage();
    const register = async (email: string) => {
      await other.goto(`${server.base}/console/register`);
      await expect(other.getByText('New accounts must be approved by an operator.')).toBeVisible();
      await other.getByLabel('E-mail').fill(email);
      await other.getByLabel('Password', { exact: true }).fill(password);
      await other.getByRole('button', { name: 'Register' }).click();
      await expect(other.getByRole('heading', { level: 1, name: 'Waiting for approval' })).toBeFocused();
    };
    await register('mai@example.org');
    await register('ken@example.org');
    await expectAccessible(other);
    await other.getByRole('link', { name: 'Back to sign-in' }).click();
    await other.getByLabel('E-mail').fill('mai@example.org');
    await other.getByLabel('Password', { exact: true }).fill(password);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await expect(other.getByRole('alert')).toContainText('An operator must approve your account first.');

    await signIn(page, server.base, 'operator@example.org');
    await page.getByRole('link', { name: /2 accounts are waiting/ }).click();
    await expect(page.getByRole('radio', { name: /^With approval/ })).toBeChecked();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Reject ken@example.org' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await expect(page.getByText('ken@example.org has been rejected')).toBeVisible();
    await expect(page.getByText('ken@example.org', { exact: true })).toHaveCount(0);
    await page.getByRole('button', { name: 'Approve mai@example.org' }).click();
    await expect(page.getByText('mai@example.org can sign in now')).toBeVisible();
    await other.getByRole('button', { name: 'Sign in' }).click();
    await expect(other.getByRole('navigation').getByRole('link', { name: 'Applications' })).toBeVisible();
    await other.context().close();

    // The tests below register people who sign in at once.
    await page.getByRole('radio', { name: /^Anyone/ }).check({ force: true });
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Anyone can register now')).toBeVisible();
  });

  test('a person registers, is signed in, signs out, and is not let in with a wrong password', async ({ page }) => {
    await page.goto(`${server.base}/console/register`);
    await page.getByLabel('E-mail').fill('hana@example.org');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Register' }).click();
    await expect(page.getByRole('navigation').getByRole('link', { name: 'Applications' })).toBeVisible();
    await expect(page.getByRole('navigation').getByRole('link', { name: 'Operator' })).toHaveCount(0);
    await page.getByRole('button', { name: /hana@example\.org/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page).toHaveURL(/sign-in/);
    await page.goto(`${server.base}/console/feedback`);
    await page.getByLabel('E-mail').fill('hana@example.org');
    await page.getByLabel('Password', { exact: true }).fill('not this one at all');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('alert')).toContainText('The e-mail address or the password is wrong.');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page).toHaveURL(/\/console\/feedback/, { timeout: 10_000 });
  });

  test('a forgotten password is chosen anew with the link in the log', async ({ page }) => {
    await ConsoleUser.register(server.base, 'taro@example.org');
    await page.goto(`${server.base}/console/sign-in`);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Forgot your password?' })).toBeVisible();
    await page.getByLabel('E-mail').fill('taro@example.org');
    await page.getByRole('button', { name: 'Send link' }).click();
    await expect(
      page.getByRole('heading', { level: 1, name: 'The link is in the server’s log' }),
      'the form that had the focus is gone',
    ).toBeFocused();
    let link = '';
    await waitUntil(
      'the link is in the log',
      () => (link = /http:\S+\/console\/reset\?token=\w+/.exec(server.log())?.[0] ?? '') !== '',
    );
    await page.goto(link);
    await page.getByLabel('New password', { exact: true }).fill('another horse battery');
    await page.getByRole('button', { name: 'Set password' }).click();
    await expect(page.getByText('Your password has been changed')).toBeVisible();
    await page.goto(link);
    await page.getByLabel('New password', { exact: true }).fill('yet another battery');
    await page.getByRole('button', { name: 'Set password' }).click();
    await expect(page.getByText('This link does not work')).toBeVisible();
  });

  test('a person changes the password, sees the sessions, and deletes the account with all it owns', async ({
    page,
  }) => {
    const kei = await ConsoleUser.register(server.base, 'kei@example.org');
    await kei.application('kei’s guide');
    await signIn(page, server.base, 'kei@example.org');
    await page.getByRole('navigation').getByRole('link', { name: 'Account' }).click();
    await expect(page.getByText(/Chromium|Chrome/).first()).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel('Current password', { exact: true }).fill(password);
    await page.getByLabel('New password', { exact: true }).fill('another horse battery');
    await page.getByRole('button', { name: 'Change password' }).click();
    await expect(page.getByText('Your password has been changed').first()).toBeVisible();
    await expect(kei.call('GET', 'applications')).rejects.toThrow('401');
    await page.getByRole('button', { name: 'Delete my account…' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('kei’s guide');
    await dialog.getByLabel('Your password', { exact: true }).fill('another horse battery');
    await dialog.getByRole('button', { name: 'Delete everything' }).click();
    await expect(page).toHaveURL(/sign-in/);
    await expect(ConsoleUser.signIn(server.base, 'kei@example.org')).rejects.toThrow();
  });
});

test.describe('with a mail server', () => {
  let server: Server, post: SMTPServer;
  const letters: string[] = [];

  test.beforeAll(async () => {
    post = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, _session, done) {
        const pieces: Buffer[] = [];
        stream.on('data', (piece: Buffer) => pieces.push(piece));
        stream.on('end', () => (letters.push(Buffer.concat(pieces).toString()), done()));
      },
    });
    await new Promise<void>((ready) => post.listen(0, '127.0.0.1', ready));
    const { port } = post.server.address() as { port: number };
    server = await Server.start({ args: ['--smtp', `smtp://127.0.0.1:${port}`] });
    await ConsoleUser.register(server.base, 'operator@example.org');
  });
  test.afterAll(async () => {
    await server.stop();
    await new Promise<void>((done) => post.close(done));
  });

  /** The text of the latest e-mail to an address. */
  async function letter(to: string): Promise<string> {
    let found: string | undefined;
    await waitUntil(
      `a letter to ${to}`,
      () => (found = letters.findLast((one) => one.includes(`To: ${to}`))) !== undefined,
    );
    return decode(found!);
  }

  test('an address is confirmed by a letter, and who has an account gets another one', async ({ page }) => {
    const register = async () => {
      await page.goto(`${server.base}/console/register`);
      await page.getByLabel('E-mail').fill('hana@example.org');
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Register' }).click();
      await expect(page.getByText('Check your e-mail')).toBeVisible();
    };
    await register();
    const link = /http:\S+\/console\/confirm\?token=\w+/.exec(await letter('hana@example.org'))![0];
    await page.goto(link);
    await expect(page.getByText('Your e-mail address has been confirmed')).toBeVisible();
    await signIn(page, server.base, 'hana@example.org');
    await page.context().clearCookies();
    letters.length = 0;
    await register();
    expect(await letter('hana@example.org')).toContain('has an account already');
  });
});

/** Decodes the text of an e-mail from its transfer encoding. */
function decode(letter: string): string {
  const body = letter.slice(letter.indexOf('\r\n\r\n') + 4);
  if (/base64/i.test(letter)) return Buffer.from(body, 'base64').toString();
  const joined = body.replace(/=\r\n/g, '');
  return Buffer.from(
    joined.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString();
}
