import type { paths } from '$/api/console';
import type { ResponseBody, RequestBody, PathParams, PathsWith, QueryOf, Method } from '$/lib/operation-types';
import { saveLink } from '$/lib/save';

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
type ShortPath<P> = P extends `/console/api/${infer R}` ? R : never;
type FullPath<S extends string> = `/console/api/${S}` & keyof paths;
type Operation<M extends Method, S extends string> =
  FullPath<S> extends keyof paths ? (M extends keyof paths[FullPath<S>] ? paths[FullPath<S>][M] : never) : never;
export type PathFor<M extends Method> = ShortPath<PathsWith<paths, M>>;
/** The response body of an operation: `ResponseOf<'get', 'session'>`. */
export type ResponseOf<M extends Method, S extends PathFor<M>> = ResponseBody<Operation<M, S>>;

type Options<O> = (keyof PathParams<O> extends never ? { path?: undefined } : { path: PathParams<O> }) & {
  query?: QueryOf<O>;
  signal?: AbortSignal;
};
type OptionsWithBody<O> = (RequestBody<O> extends undefined ? { body?: undefined } : { body: RequestBody<O> }) &
  Options<O>;
type OptionArguments<T> = Record<never, never> extends T ? [options?: T] : [options: T];

export type Session = ResponseOf<'get', 'session'>;
export type Account = NonNullable<Session['account']>;
export type Application = ResponseOf<'get', 'applications/{id}'>;
export type Key = Application['keys'][number];
export type Quota = Application['quota'];
export type IssuedKey = ResponseOf<'post', 'applications/{id}/keys'>;
export type Belongings = ResponseOf<'get', 'applications/{id}/belongings'>;
export type Usage = ResponseOf<'get', 'applications/{id}/usage'>;
export type Verdict = ResponseOf<'get', 'feedback'>['verdicts'][number];
export type Timeline = ResponseOf<'get', 'feedback/timeline'>;
export type FailedRequest = ResponseOf<'get', 'applications/{id}/failures'>['failures'][number];
export type ServerInfo = ResponseOf<'get', 'operator/server'>;
export type ServerPart = ServerInfo['parts'][number];
export type ServerReplica = ServerInfo['replicas'][number];
export type OperatorAccount = ResponseOf<'get', 'operator/accounts'>['accounts'][number];

/**
 * The account that is signed in on this page, and callbacks for a session that has ended or that another tab has
 * renewed.
 */
type SessionListener = {
  accountId: () => string | undefined;
  onEnded: () => void;
  onRenewed: (session: Session) => void;
};
let csrf: string | null = null;
let listener: SessionListener | null = null;

/** Registers the session. Returns a function that sets the CSRF token of requests that change something. */
export function attachSession(session: SessionListener): (token: string | null) => void {
  listener = session;
  return (token) => (csrf = token);
}

export async function errorOf(response: Response): Promise<ConsoleError> {
  const wait = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const retryAfter = Number.isFinite(wait) ? wait : null;
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return new ConsoleError(error.code, error.message, response.status, retryAfter);
  } catch {
    const code = response.status === 503 ? 'unavailable' : 'internal';
    return new ConsoleError(code, `HTTP ${response.status}`, response.status, retryAfter);
  }
}

type UntypedOptions = {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
};

const filled = (template: string, path: Record<string, string> = {}) =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));

async function send(method: string, template: string, options: UntypedOptions): Promise<Response> {
  const path = filled(template, options.path);
  const query = Object.entries(options.query ?? {}).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const queryString = query.length
    ? `?${new URLSearchParams(query.map(([name, value]) => [name, String(value)]))}`
    : '';
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (method !== 'GET') {
    headers['Content-Type'] = 'application/json';
    if (csrf) headers['X-CSRF-Token'] = csrf;
  }
  const body = method === 'GET' || options.body === undefined ? null : JSON.stringify(options.body);
  try {
    return await fetch(PREFIX + path + queryString, {
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

const readJson = (response: Response): unknown => (response.status === 204 ? undefined : response.json());

async function call(
  method: string,
  path: string,
  options: UntypedOptions = {},
  read: (response: Response) => unknown = readJson,
): Promise<unknown> {
  const accountId = listener?.accountId();
  let response = await send(method, path, options);
  if (response.ok) return read(response);
  let error = await errorOf(response);
  // Another tab has signed in and shares its session with this one, so only the token is outdated. Retries once.
  if (error.code === 'badCsrf') {
    const sessionResponse = await send('GET', 'session', {});
    if (!sessionResponse.ok) throw error;
    const session = (await sessionResponse.json()) as Session;
    listener?.onRenewed(session);
    // An action that one account requested must not be performed as another.
    if (session.account?.id !== accountId)
      throw new ConsoleError('otherAccount', 'This browser is now signed in to another account.', error.status, null);
    response = await send(method, path, options);
    if (response.ok) return read(response);
    error = await errorOf(response);
  }
  if (error.code === 'notSignedIn') listener?.onEnded();
  throw error;
}

/**
 * The console's API: `api.get('applications/{id}', { path: { id } })`, `api.post('applications', { body: { name } })`.
 */
export const api = {
  get: <S extends PathFor<'get'>>(path: S, ...rest: OptionArguments<Options<Operation<'get', S>>>) =>
    call('GET', path, rest[0] as UntypedOptions) as Promise<ResponseOf<'get', S>>,
  post: <S extends PathFor<'post'>>(path: S, ...rest: OptionArguments<OptionsWithBody<Operation<'post', S>>>) =>
    call('POST', path, rest[0] as UntypedOptions) as Promise<ResponseOf<'post', S>>,
  put: <S extends PathFor<'put'>>(path: S, ...rest: OptionArguments<OptionsWithBody<Operation<'put', S>>>) =>
    call('PUT', path, rest[0] as UntypedOptions) as Promise<ResponseOf<'put', S>>,
  patch: <S extends PathFor<'patch'>>(path: S, ...rest: OptionArguments<OptionsWithBody<Operation<'patch', S>>>) =>
    call('PATCH', path, rest[0] as UntypedOptions) as Promise<ResponseOf<'patch', S>>,
  delete: <S extends PathFor<'delete'>>(path: S, ...rest: OptionArguments<OptionsWithBody<Operation<'delete', S>>>) =>
    call('DELETE', path, rest[0] as UntypedOptions) as Promise<ResponseOf<'delete', S>>,
};

/**
 * Lets the browser save what the console's API answers. It is asked before, because a download that fails does not say
 * why.
 */
export async function download<S extends PathFor<'get'>>(
  template: S,
  options: { path: PathParams<Operation<'get', S>> },
): Promise<void> {
  const path = options.path as Record<string, string>;
  await call('GET', template, { path }, (response) => response.body?.cancel());
  saveLink(PREFIX + filled(template, path), '');
}
