import { type ClientOptions, Kaisatsu } from '../src/index.js';

/** An answer, or a failure to get one. */
export type Given = Response | Error | (() => Promise<Response>);

/** A request as the server would see it. */
export interface Seen {
  url: URL;
  init: RequestInit;
  headers: Headers;
}

/** A client whose server gives these answers, one after the other, and the requests that it gets. */
export function clientOf(given: Given[], options: Partial<ClientOptions> = {}): { kaisatsu: Kaisatsu; seen: Seen[] } {
  const left = [...given];
  const seen: Seen[] = [];
  const fetch = (input: unknown, init: RequestInit = {}): Promise<Response> => {
    seen.push({ url: new URL(String(input)), init, headers: new Headers(init.headers) });
    const now = left.shift();
    if (now === undefined) return Promise.reject(new Error('one request too many'));
    if (now instanceof Error) return Promise.reject(now);
    return now instanceof Response ? Promise.resolve(now) : now();
  };
  return { kaisatsu: new Kaisatsu({ baseUrl: 'http://server/', key: 'kst_secret', fetch, ...options }), seen };
}

/** An answer with JSON. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers });
}

/** What Node's fetch fails with. */
export function failed(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}

export const HEALTH = { status: 'ok', version: '1' };
export const CLASSIFIED = { recognitionId: 'r', jobId: 'r', candidates: [] };
