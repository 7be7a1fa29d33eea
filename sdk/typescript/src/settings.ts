import {
  ConflictError,
  type KaisatsuError,
  RateLimitedError,
  TimeoutError,
  TransportError,
  UnavailableError,
} from './errors.js';

/** A geodetic system: WGS 84, that of satellite navigation, or the old Japanese one. */
export type Gcs = 'wgs84' | 'tokyo';

/** A request that was sent. It contains no key and no token. */
export interface Sent {
  method: string;
  /** Without the query. */
  path: string;
  /** Counted from 1. */
  attempt: number;
  /** Absent if there was no answer. */
  status?: number | undefined;
  /** Milliseconds. */
  duration: number;
  requestId?: string | undefined;
  /** The kind of the error, if it failed. */
  error?: string | undefined;
}

/** What an operation that creates something takes beside its arguments. */
export interface Once {
  /**
   * A text that is used for no other request, such as a UUID. The server does the work of the same request with the
   * same key once within a day. Without it every call has a random one, so that it can be sent again safely; a key of
   * your own makes calls safe that your program repeats, also after it was restarted.
   */
  idempotencyKey?: string | undefined;
}

/** What every call takes beside its arguments. */
export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal | undefined;
  /** Instead of the client's. */
  timeout?: number | undefined;
  /** Instead of the client's. */
  totalTimeout?: number | undefined;
  /** Instead of the client's. */
  attempts?: number | undefined;
}

/** How a client calls the server. */
export interface ClientOptions {
  /** The address of the server, such as "https://kaisatsu.example.org". */
  baseUrl: string;
  /** The application's key. In a page or an app it must be a restricted one: whoever has the page has the key. */
  key?: string | undefined;
  /** Where the key is sent. Query strings end up in logs; the query is for servers that take no header. */
  keyIn?: 'header' | 'query' | undefined;
  /** The most seconds of one attempt; 30. */
  timeout?: number | undefined;
  /** The most seconds of a call, with all attempts and the waiting between; 120. */
  totalTimeout?: number | undefined;
  /** The most requests of one call; 3. A recognition is sent again only if the server cannot have begun. */
  attempts?: number | undefined;
  /** The largest answer; 64 MiB. */
  maxAnswerBytes?: number | undefined;
  /** The geodetic system of coordinates, unless a call says otherwise; WGS 84. */
  gcs?: Gcs | undefined;
  /** The first segment of the paths of the maps, if the operator has changed it. */
  routeService?: string | undefined;
  /** Called after every request, for logs and metrics. */
  onRequest?: ((sent: Sent) => void) | undefined;
  /** Instead of the platform's `fetch`, for proxies and the like. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** @internal The options with their defaults. */
export interface Settings {
  baseUrl: string;
  keyIn: 'header' | 'query';
  timeout: number;
  totalTimeout: number;
  attempts: number;
  maxAnswerBytes: number;
  gcs: Gcs;
  routeService: string;
  onRequest: ((sent: Sent) => void) | undefined;
  fetch: typeof globalThis.fetch;
}

/** @internal */
export function settingsOf(options: ClientOptions): Settings {
  const settings: Settings = {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    keyIn: options.keyIn ?? 'header',
    timeout: options.timeout ?? 30,
    totalTimeout: options.totalTimeout ?? 120,
    attempts: options.attempts ?? 3,
    maxAnswerBytes: options.maxAnswerBytes ?? 64 * 1024 * 1024,
    gcs: options.gcs ?? 'wgs84',
    routeService: options.routeService ?? 'route_service',
    onRequest: options.onRequest,
    // A browser's fetch must be called as a function of the window, not as one of our object.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  };
  if (!/^https?:\/\//.test(settings.baseUrl)) {
    throw new RangeError(`baseUrl must begin with http:// or https://, not ${JSON.stringify(options.baseUrl)}`);
  }
  const positive = [settings.attempts, settings.timeout, settings.totalTimeout, settings.maxAnswerBytes];
  if (!positive.every((value) => value > 0)) {
    throw new RangeError('attempts, timeout, totalTimeout and maxAnswerBytes must be positive');
  }
  return settings;
}

const FIRST_WAIT = 0.25;
const LONGEST_WAIT = 8;

/**
 * @internal The seconds to wait before the next attempt, or undefined if there is to be none. `left` is how many
 * seconds the call may still take.
 */
export function waitBeforeNext(
  error: KaisatsuError,
  {
    repeatable,
    once = false,
    attempt,
    attempts,
    left,
  }: { repeatable: boolean; once?: boolean; attempt: number; attempts: number; left: number },
  chance: () => number = Math.random,
): number | undefined {
  if (attempt >= attempts || !mayRepeat(error, repeatable || once, once)) return undefined;
  const backoff = Math.min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT);
  // Jitter: clients that failed at the same moment must not come back at the same moment.
  const wait = Math.max(backoff * (0.5 + chance() / 2), error.retryAfter ?? 0);
  return wait < left ? wait : undefined;
}

function mayRepeat(error: KaisatsuError, repeatable: boolean, once: boolean): boolean {
  // The server is still at work on an attempt before this one.
  if (error instanceof ConflictError) return once && error.retryAfter !== undefined;
  if (error instanceof RateLimitedError) return true;
  if (error instanceof UnavailableError) return repeatable || error.retryAfter !== undefined;
  if (error instanceof TransportError) return repeatable || error.nothingSent;
  return repeatable && error instanceof TimeoutError;
}
