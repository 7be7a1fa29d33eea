// 7. Languages, themes, keyboard, screen readers, phones, and no requests to other hosts.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, expectNoHorizontalScrolling, test } from '../test';
import { ConsoleUser, signIn } from '../users';
import { Server } from '../server';

/** Pages without an item in the navigation. */
const others = ['maps/tokyo', 'collections/museum', 'nowhere'];
const signedOut = ['sign-in', 'register', 'forgot', 'reset?token=ksl_0', 'confirm?token=ksl_0'];

let server: Server;
let application: { id: string; key: string };
test.beforeAll(async () => {
  server = await Server.start();
  const operator = await ConsoleUser.register(server.base, 'operator@example.org');
  application = await operator.application('station-guide');
});
test.afterAll(() => server.stop());

/** The path of every page, for an operator who is signed in and whose screen has room for the whole navigation. */
async function everyPage(page: Page): Promise<string[]> {
  const items = page.getByRole('navigation').locator('a');
  await expect(items.first()).toBeVisible();
  const listed = await items.evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).pathname));
  expect(listed).toEqual(expect.arrayContaining(['/console/', '/console/feedback', '/console/server']));
  return [...listed, ...[...others, `applications/${application.id}`].map((path) => `/console/${path}`)];
}

// Each theme has its own colours and each language its own texts; they do not affect each other.
for (const [theme, language] of [
  ['light', 'en'],
  ['dark', 'ja'],
] as const) {
  test(`every page is accessible, ${theme}, in ${language}`, async ({ page }) => {
    test.setTimeout(240_000);
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    if (language === 'ja')
      await page.addInitScript(() => Object.defineProperty(navigator, 'languages', { get: () => ['ja'] }));
    if (language === 'ja')
      await page.addInitScript(() => Object.defineProperty(navigator, 'language', { get: () => 'ja' }));
    for (const path of signedOut) {
      await page.goto(`${server.base}/console/${path}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expectAccessible(page);
    }
    await signInIn(language, page);
    for (const path of await everyPage(page)) {
      await page.goto(`${server.base}${path}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.waitForLoadState('networkidle');
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      await expectAccessible(page);
    }
  });
}

async function signInIn(language: 'en' | 'ja', page: Page): Promise<void> {
  if (language === 'en') return signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/sign-in`);
  await page.getByLabel('メールアドレス').fill('operator@example.org');
  await page.getByLabel('パスワード', { exact: true }).fill('correct horse battery');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
}

test('language and theme are chosen and remembered', async ({ page }) => {
  await signIn(page, server.base, 'operator@example.org');
  await page.goto(`${server.base}/console/account`);
  await page.getByRole('radio', { name: '日本語' }).check({ force: true });
  await expect(page.getByRole('navigation').getByRole('link', { name: 'アプリケーション' })).toBeVisible();
  await page.getByRole('radio', { name: 'ダーク' }).check({ force: true });
  await page.reload();
  expect(await page.locator('html').getAttribute('lang')).toBe('ja');
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
});

test('a phone shows every page without sideways scrolling', async ({ page }) => {
  test.setTimeout(240_000);
  await signIn(page, server.base, 'operator@example.org');
  const paths = await everyPage(page);
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of paths) {
    await page.goto(`${server.base}${path}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expectNoHorizontalScrolling(page);
  }
});

test('the keyboard alone gets everywhere', async ({ page }) => {
  await page.goto(`${server.base}/console/sign-in`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.getByLabel('E-mail').focus();
  await page.keyboard.type('operator@example.org');
  await page.keyboard.press('Tab');
  await page.keyboard.type('correct horse battery');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('navigation').getByRole('link', { name: 'Applications' })).toBeVisible();
  await page.goto(`${server.base}/console/`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: /skip/i })).toBeFocused();
  await page.getByRole('navigation').getByRole('link', { name: 'Applications' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Applications' })).toBeFocused();
});

test('a page that could not be loaded is gone when one goes back', async ({ page }) => {
  await signIn(page, server.base, 'operator@example.org');
  await page.route('**/assets/AccountPage-*', (route) => route.abort());
  await page.getByRole('navigation').getByRole('link', { name: 'Account' }).click();
  await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText('This page could not be loaded')).toHaveCount(0);
});

test('all of it is small', () => {
  const dist = join(import.meta.dirname, '../../dist/console');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(dist, name)).isFile(),
  );
  const packed = files.filter((name) => !files.includes(`${name}.gz`));
  const bytes = packed.reduce((sum, name) => sum + statSync(join(dist, name)).size, 0);
  expect(bytes).toBeLessThan(360_000);
  for (const name of files.filter((name) => /\.(html|css|js)$/.test(name))) {
    expect(readFileSync(join(dist, name), 'utf8'), name).not.toMatch(
      /https?:\/\/(?!www\.w3\.org|svelte\.dev|([a-z]+\.)?example\.org)[a-z]/,
    );
  }
});
