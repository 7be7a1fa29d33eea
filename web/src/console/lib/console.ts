import type { paths } from '$/api/console';
import type { Answer, Body, PathParams, PathsWith, QueryOf, Method } from '$/lib/typed';

/** An error response of the console's API. `code` is `offline` if there was no response. */
export class ConsoleError extends Error {
  readonly code: string;
  readonly status: number;
  /** Seconds, if the server sent a Retry-After header. */
  readonly retryAfter: number | null;

  constructor(code: string, message: string, status: number, retryAfter: number | null) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

const PREFIX = '/console/api/';
type Short<P> = P extends `/console/api/${infer R}` ? R : never;
type Long<S extends string> = `/console/api/${S}` & keyof paths;
type Op<M extends Method, S extends string> =
  Long<S> extends keyof paths ? (M extends keyof paths[Long<S>] ? paths[Long<S>][M] : never) : never;
export type PathFor<M extends Method> = Short<PathsWith<paths, M>>;
/** The response body of an operation: `AnswerOf<'get', 'session'>`. */
export type AnswerOf<M extends Method, S extends PathFor<M>> = Answer<Op<M, S>>;

type Options<O> = (keyof PathParams<O> extends never ? { path?: undefined } : { path: PathParams<O> }) & {
  query?: QueryOf<O>;
  signal?: AbortSignal;
};
type With<O> = (Body<O> extends undefined ? { body?: undefined } : { body: Body<O> }) & Options<O>;
type Argument<T> = Record<never, never> extends T ? [options?: T] : [options: T];

export type Session = AnswerOf<'get', 'session'>;
export type Account = NonNullable<Session['account']>;
export type Application = AnswerOf<'get', 'applications/{id}'>;
export type Key = Application['keys'][number];
export type Quota = Application['quota'];
export type IssuedKey = AnswerOf<'post', 'applications/{id}/keys'>;
export type Belongings = AnswerOf<'get', 'applications/{id}/belongings'>;
export type Usage = AnswerOf<'get', 'applications/{id}/usage'>;
export type Verdict = AnswerOf<'get', 'feedback'>['verdicts'][number];
export type Timeline = AnswerOf<'get', 'feedback/timeline'>;
export type OperatorAccount = AnswerOf<'get', 'operator/accounts'>['accounts'][number];

/**
 * The account that is signed in on this page, and callbacks for a session that has ended or that another tab has
 * renewed.
 */
type Listener = { account: () => string | undefined; lost: () => void; renewed: (session: Session) => void };
let csrf: string | null = null;
let listener: Listener | null = null;

/** Registers the session. Returns a function that sets the CSRF token of requests that change something. */
export function attachSession(session: Listener): (token: string | null) => void {
  listener = session;
  return (token) => (csrf = token);
}

export async function errorOf(answer: Response): Promise<ConsoleError> {
  const wait = Number(answer.headers.get('Retry-After') ?? Number.NaN);
  const retryAfter = Number.isFinite(wait) ? wait : null;
  try {
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    return new ConsoleError(error.code, error.message, answer.status, retryAfter);
  } catch {
    const code = answer.status === 503 ? 'unavailable' : 'internal';
    return new ConsoleError(code, `HTTP ${answer.status}`, answer.status, retryAfter);
  }
}

type Loose = { path?: Record<string, string>; query?: Record<string, unknown>; body?: unknown; signal?: AbortSignal };

async function send(method: string, template: string, options: Loose): Promise<Response> {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(options.path?.[name] ?? ''));
  const query = Object.entries(options.query ?? {}).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const tail = query.length ? `?${new URLSearchParams(query.map(([name, value]) => [name, String(value)]))}` : '';
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (method !== 'GET') {
    headers['Content-Type'] = 'application/json';
    if (csrf) headers['X-CSRF-Token'] = csrf;
  }
  const body = method === 'GET' || options.body === undefined ? null : JSON.stringify(options.body);
  try {
    return await fetch(PREFIX + path + tail, {
      method,
      headers,
      body,
      signal: options.signal ?? null,
      credentials: 'same-origin',
    });
  } catch (reason) {
    if (reason instanceof DOMException && reason.name === 'AbortError') throw reason;
    throw new ConsoleError('offline', 'The server cannot be reached.', 0, null);
  }
}

async function call(method: string, path: string, options: Loose = {}): Promise<unknown> {
  const asking = listener?.account();
  let answer = await send(method, path, options);
  if (answer.ok) return answer.status === 204 ? undefined : answer.json();
  let error = await errorOf(answer);
  // Another tab has signed in and shares its session with this one, so only the token is outdated. Retries once.
  if (error.code === 'badCsrf') {
    const fresh = await send('GET', 'session', {});
    if (!fresh.ok) throw error;
    const session = (await fresh.json()) as Session;
    listener?.renewed(session);
    // An action that one account requested must not be performed as another.
    if (session.account?.id !== asking)
      throw new ConsoleError('otherAccount', 'This browser is signed in to another account now.', error.status, null);
    answer = await send(method, path, options);
    if (answer.ok) return answer.status === 204 ? undefined : answer.json();
    error = await errorOf(answer);
  }
  if (error.code === 'notSignedIn') listener?.lost();
  throw error;
}

/**
 * The console's API: `api.get('applications/{id}', { path: { id } })`, `api.post('applications', { body: { name } })`.
 */
export const api = {
  get: <S extends PathFor<'get'>>(path: S, ...rest: Argument<Options<Op<'get', S>>>) =>
    call('GET', path, rest[0] as Loose) as Promise<AnswerOf<'get', S>>,
  post: <S extends PathFor<'post'>>(path: S, ...rest: Argument<With<Op<'post', S>>>) =>
    call('POST', path, rest[0] as Loose) as Promise<AnswerOf<'post', S>>,
  put: <S extends PathFor<'put'>>(path: S, ...rest: Argument<With<Op<'put', S>>>) =>
    call('PUT', path, rest[0] as Loose) as Promise<AnswerOf<'put', S>>,
  patch: <S extends PathFor<'patch'>>(path: S, ...rest: Argument<With<Op<'patch', S>>>) =>
    call('PATCH', path, rest[0] as Loose) as Promise<AnswerOf<'patch', S>>,
  delete: <S extends PathFor<'delete'>>(path: S, ...rest: Argument<With<Op<'delete', S>>>) =>
    call('DELETE', path, rest[0] as Loose) as Promise<AnswerOf<'delete', S>>,
};
