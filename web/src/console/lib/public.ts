import { CancelledError, type CallOptions, Kaisatsu, KaisatsuError, UnauthorisedError } from '$sdk/index';
import { api } from '$/lib/console';
import { fetchWithProgress } from '$/lib/upload';

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

/** The errors of the client as the pages show them. */
function errorOf(error: unknown): unknown {
  if (error instanceof CancelledError) return new DOMException('cancelled', 'AbortError');
  if (!(error instanceof KaisatsuError)) return error;
  const { code, message, status, retryAfter } = error;
  if (status === undefined) return new PublicError('offline', message, 0);
  return new PublicError(code ?? String(status), message, status, retryAfter ?? null);
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

/** A call of the client. `token` is that of the user, or empty if there is none. */
type Use<T> = (client: Kaisatsu, options: CallOptions, token: string) => Promise<T>;
type Settings = {
  signal?: AbortSignal | undefined;
  /** Called with the share of the request that has been sent, from 0 to 1. */
  progress?: (share: number) => void;
  /** Called with the JSON of the answer as it was sent. */
  onanswer?: (json: unknown) => void;
};

/** The public API as called by one application and, if a user is given, on behalf of that user. */
export class PublicApi {
  readonly application: string;
  readonly user: string | null;
  /** First path segment of the route map API. */
  readonly routeService: string;

  constructor(application: string, routeService: string, user: string | null = null) {
    this.application = application;
    this.routeService = routeService;
    this.user = user;
  }

  as(user: string): PublicApi {
    return new PublicApi(this.application, this.routeService, user);
  }

  /** Calls an operation with the TypeScript client: `api.call((client, options) => client.maps.railmapList({}, options))`. */
  async call<T>(use: Use<T>, settings: Settings = {}): Promise<T> {
    try {
      return await this.#use(use, settings);
    } catch (error) {
      if (!(error instanceof UnauthorisedError)) throw errorOf(error);
      // The pass or the token has been revoked. Retries once with new ones.
      if (error.code !== '117') passes.delete(this.application);
      tokens.delete(this.#tokenKey);
    }
    return this.#use(use, settings).catch((error: unknown) => Promise.reject(errorOf(error) as Error));
  }

  async #use<T>(use: Use<T>, { signal, progress, onanswer }: Settings): Promise<T> {
    const token = this.user === null ? '' : await this.#token();
    return use(await this.#client(progress, onanswer), { signal }, token);
  }

  async #client(progress?: Settings['progress'], onanswer?: Settings['onanswer']): Promise<Kaisatsu> {
    const send = progress
      ? fetchWithProgress(progress)
      : (input: RequestInfo | URL, init?: RequestInit) => fetch(input, init);
    const observed: typeof fetch = async (input, init) => {
      const response = await send(input, init);
      if (onanswer && response.ok) onanswer(await response.clone().json());
      return response;
    };
    return new Kaisatsu({
      baseUrl: location.origin,
      key: await passOf(this.application),
      // The operator may have switched keys in headers off.
      keyIn: 'query',
      routeService: this.routeService,
      // The pages say what failed at once, and offer to try again.
      attempts: 1,
      timeout: 600,
      totalTimeout: 600,
      fetch: observed,
    });
  }

  get #tokenKey() {
    return JSON.stringify([this.application, this.user]);
  }

  #token(): Promise<string> {
    const cached = tokens.get(this.#tokenKey);
    if (cached) return cached;
    const userId = this.user ?? '';
    const created = new PublicApi(this.application, this.routeService)
      .call((client, options) => client.datasets.getToken({ userId }, options))
      .then(({ token }) => token);
    tokens.set(this.#tokenKey, created);
    created.catch(() => tokens.delete(this.#tokenKey));
    return created;
  }
}
