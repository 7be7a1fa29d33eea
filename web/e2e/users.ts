import type { Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const password = 'correct horse battery';

/** A response of the console's API. Tests pass the type of the fields that they read. */
type ResponseBody = Record<string, unknown>;
export type Recognition = { recognitionId: string; candidates: { itemId: string }[] };

/** A client of the console's API, for test setup before a page is opened. */
export class ConsoleUser {
  private constructor(
    private readonly base: string,
    private readonly cookie: string,
    private readonly csrf: string,
  ) {}

  /**
   * Registers an account and signs in. Whoever becomes the operator lets anybody register, so that those who come next
   * can sign in too.
   */
  static async register(base: string, email: string): Promise<ConsoleUser> {
    await post(base, 'accounts', { email, password });
    const user = await ConsoleUser.signIn(base, email);
    const { account } = await user.call<{ account: { role: string } }>('GET', 'session');
    if (account.role === 'operator') await user.call('PUT', 'operator/registration', { mode: 'open' });
    return user;
  }

  static async signIn(base: string, email: string): Promise<ConsoleUser> {
    const response = await post(base, 'session', { email, password });
    const { csrf } = (await response.json()) as { csrf: string };
    return new ConsoleUser(base, response.headers.get('set-cookie')!.split(';')[0]!, csrf);
  }

  async call<A = ResponseBody>(method: string, path: string, body?: unknown): Promise<A> {
    const headers = { cookie: this.cookie, 'x-csrf-token': this.csrf, 'content-type': 'application/json' };
    const response = await fetch(`${this.base}/console/api/${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? {} : await response.json()) as A;
  }

  /** Creates an application and returns its id and a key. */
  async application(name: string): Promise<{ id: string; key: string }> {
    const made = await this.call<{ application: { id: string }; key: { secret: string } }>('POST', 'applications', {
      name,
    });
    return { id: made.application.id, key: made.key.secret };
  }
}

function post(base: string, path: string, body: unknown): Promise<Response> {
  return fetch(`${base}/console/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Signs in through the form. */
export async function signIn(page: Page, base: string, email: string): Promise<void> {
  await page.goto(`${base}/console/sign-in`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
}

/** The path of one of the photographs that `tools/with-models` installs. */
export function photo(name: string): string {
  const folder = process.env.KAISATSU_TEST_PHOTOS;
  if (!folder) throw new Error('KAISATSU_TEST_PHOTOS is not set; `tools/with-models` sets it');
  return join(folder, name);
}

/** Recognises a photograph through the public API. */
export async function classify(base: string, key: string, name: string): Promise<Recognition> {
  const form = new FormData();
  form.set('image', new Blob([readFileSync(photo(name))]), name);
  const response = await fetch(`${base}/imageRecognition/v1/concept/classify?APIKEY=${key}`, {
    method: 'POST',
    body: form,
  });
  return (await response.json()) as Recognition;
}

/** Sends feedback on a candidate through the public API. */
export async function rate(
  base: string,
  key: string,
  recognitionId: string,
  itemId: string,
  isValid: boolean,
  comment?: string,
): Promise<void> {
  const query = new URLSearchParams({ APIKEY: key, recognitionId, itemId, isValid: String(isValid) });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${base}/imageRecognition/v1/feedbackToCandidate?${query}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ comment }),
  });
  if (response.status !== 204) throw new Error(await response.text());
}
