import { toText } from '$shared/text';
import type { paths } from '$/api/api';
import { api } from '$/lib/console';
import { upload, type UploadResponse } from '$/lib/upload';
import type { ResponseBody, RequestBody, Method, PathsWith, QueryOf } from '$/lib/operation-types';

/**
 * An error response of the public API. The codes of its two parts differ: `W404`, `116` and the like; `offline` if
 * there was no response.
 */
export class PublicError extends Error {
  readonly code: string;
  readonly status: number;
  readonly retryAfter: number | null;

  constructor(code: string, message: string, status: number, retryAfter: number | null = null) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

type ErrorBody = {
  error?: { code: string; message: string };
  ResultSet?: { Error?: { code: string; Message: string } };
};

function errorOf(status: number, text: string, retryAfter: string | null): PublicError {
  const wait = retryAfter === null || retryAfter === '' || Number.isNaN(Number(retryAfter)) ? null : Number(retryAfter);
  try {
    const body = JSON.parse(text) as ErrorBody;
    if (body.error) return new PublicError(body.error.code, body.error.message, status, wait);
    const route = body.ResultSet?.Error;
    if (route) return new PublicError(route.code, route.Message, status, wait);
  } catch {
    // Not a response of this server, but of a proxy.
  }
  return new PublicError(String(status), `HTTP ${status}`, status, wait);
}

type Pass = { key: string; renewAt: number };
const passes = new Map<string, Promise<Pass>>();
const tokens = new Map<string, Promise<string>>();

/** Called when another account has signed in, or none is signed in any more. */
export function clearPasses() {
  passes.clear();
  tokens.clear();
}

async function newPass(application: string): Promise<Pass> {
  const { key, expiresAt } = await api.post('applications/{id}/pass', { path: { id: application }, body: {} });
  // Expires a minute early, so that no pass expires while a request is in transit.
  return { key, renewAt: Date.parse(expiresAt) - 60_000 };
}

async function passOf(application: string): Promise<string> {
  const cached = passes.get(application);
  if (cached) {
    const pass = await cached;
    if (Date.now() < pass.renewAt) return pass.key;
  }
  const created = newPass(application);
  passes.set(application, created);
  created.catch(() => passes.delete(application));
  return (await created).key;
}

type Operation<M extends Method, P> = P extends keyof paths ? (M extends keyof paths[P] ? paths[P][M] : never) : never;
type Query<O> = Omit<QueryOf<O>, 'token'>;
export type PublicResponse<M extends Method, P extends PathsWith<paths, M>> = ResponseBody<Operation<M, P>>;
type UntypedQuery = Record<string, unknown>;
type Request = {
  method: string;
  path: string;
  query: UntypedQuery;
  body: BodyInit | null;
  type?: string;
  progress?: (share: number) => void;
  signal?: AbortSignal;
};

/** The public API as called by one application and, if a user is given, on behalf of that user. */
export class PublicApi {
  readonly application: string;
  readonly user: string | null;
  /** First path segment of the route map API. The OpenAPI document contains the default. */
  readonly routeService: string;

  constructor(application: string, routeService: string, user: string | null = null) {
    this.application = application;
    this.routeService = routeService;
    this.user = user;
  }

  as(user: string): PublicApi {
    return new PublicApi(this.application, this.routeService, user);
  }

  get<P extends PathsWith<paths, 'get'>>(path: P, query: Query<Operation<'get', P>>, signal?: AbortSignal) {
    return this.#json({ method: 'GET', path, query, body: null, signal }) as Promise<PublicResponse<'get', P>>;
  }

  post<P extends PathsWith<paths, 'post'>>(
    path: P,
    body: RequestBody<Operation<'post', P>>,
    query?: Query<Operation<'post', P>>,
    signal?: AbortSignal,
  ) {
    return this.#json({
      method: 'POST',
      path,
      query: query ?? {},
      body: JSON.stringify(body),
      type: 'application/json',
      signal,
    }) as Promise<PublicResponse<'post', P>>;
  }

  /** Sends a form with files, or a single file. `progress` is called with the share that has been sent, from 0 to 1. */
  upload<P extends PathsWith<paths, 'post'>>(
    path: P,
    body: FormData | Blob,
    options: { query?: Query<Operation<'post', P>>; progress?: (share: number) => void; signal?: AbortSignal } = {},
  ) {
    const { query = {}, ...rest } = options;
    return this.#json({ method: 'POST', path, query, body, ...rest }) as Promise<PublicResponse<'post', P>>;
  }

  /** Fetches an image. Callers revoke the object URLs that they create for it. */
  async blob<P extends PathsWith<paths, 'get'>>(
    path: P,
    query: Query<Operation<'get', P>>,
    signal?: AbortSignal,
  ): Promise<Blob> {
    return (await this.#send({ method: 'GET', path, query, body: null, signal })).blob;
  }

  async #json(request: Request): Promise<unknown> {
    const sent = await this.#send(request);
    return sent.status === 204 || sent.blob.size === 0 ? undefined : JSON.parse(await sent.blob.text());
  }

  async #send(request: Request, mayRetry = true): Promise<UploadResponse> {
    const sent = await upload({ ...request, url: await this.#url(request.path, request.query) });
    if (sent.status >= 200 && sent.status < 300) return sent;
    const error = errorOf(sent.status, await sent.blob.text(), sent.retryAfter);
    if (error.status === 401 && mayRetry) {
      // The pass or the token has been revoked. Retries once with new ones.
      if (error.code !== '117') passes.delete(this.application);
      tokens.delete(this.#tokenKey);
      return this.#send(request, false);
    }
    throw error;
  }

  async #url(path: string, query: UntypedQuery): Promise<string> {
    const ownPath = path.replace(/^\/route_service\//, `/${this.routeService}/`);
    const search = new URLSearchParams({ APIKEY: await passOf(this.application) });
    if (this.user !== null && !path.endsWith('/getToken')) search.set('token', await this.#token());
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== null && value !== '') search.set(name, toText(value));
    return `${ownPath}?${search}`;
  }

  get #tokenKey() {
    return JSON.stringify([this.application, this.user]);
  }

  #token(): Promise<string> {
    const cached = tokens.get(this.#tokenKey);
    if (cached) return cached;
    const created = new PublicApi(this.application, this.routeService)
      .post('/imageRecognition/v1/userCategory/getToken', { userId: this.user ?? '' })
      .then((response) => response.token);
    tokens.set(this.#tokenKey, created);
    created.catch(() => tokens.delete(this.#tokenKey));
    return created;
  }
}
