import {
  CancelledError,
  errorOf,
  KaisatsuError,
  MalformedAnswerError,
  TimeoutError,
  TransportError,
} from './errors.js';
import { type CallOptions, type Settings, waitBeforeNext } from './settings.js';
import { VERSION } from './version.js';

type Value = string | number | boolean | undefined;

/** @internal A request, and how to read its answer. */
export interface Call<T> {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  read: (answer: Answer) => T;
  query?: Record<string, Value>;
  json?: Record<string, unknown>;
  form?: FormData;
  body?: Blob;
  /** Whether it may be sent again when it may have been received: see sdk/cases/README.md. */
  repeatable?: boolean;
  hasKey?: boolean;
  /** Whether it creates something, so that it has an `Idempotency-Key`: this one, or a random one. */
  creates?: { idempotencyKey?: string | undefined };
}

/** @internal An answer of the server, read to its end. */
export interface Answer {
  status: number;
  headers: Headers;
  content: Uint8Array<ArrayBuffer>;
}

// Browsers name themselves; a header of ours would only make them ask the server for permission first.
const IS_NODE =
  typeof (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node === 'string';
// Of these it is certain that nothing was sent.
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** @internal Sends calls, and decides which are sent again. */
export class Transport {
  // Private to the engine, so that it does not appear when somebody prints the client.
  readonly #key: string | undefined;

  constructor(
    readonly settings: Settings,
    key?: string,
  ) {
    this.#key = key;
  }

  async send<T>(call: Call<T>, options: CallOptions = {}): Promise<T> {
    const end = now() + (options.totalTimeout ?? this.settings.totalTimeout);
    // All attempts have the same one: that is what makes the server do the work once.
    const onceKey = call.creates && (call.creates.idempotencyKey ?? randomUuid());
    const repeatable = call.repeatable ?? false;
    for (let attempt = 1; ; attempt++) {
      const start = now();
      try {
        const timeout = Math.max(0.001, Math.min(options.timeout ?? this.settings.timeout, end - start));
        const answer = await this.attempt(call, timeout, onceKey, options.signal);
        const result = resultOf(call, answer);
        this.report(call, attempt, start, answer.status, idOf(answer.headers));
        return result;
      } catch (error) {
        if (!(error instanceof KaisatsuError)) throw error;
        this.report(call, attempt, start, error.status, error.requestId, error.kind);
        const attempts = options.attempts ?? this.settings.attempts;
        const left = end - now();
        const wait = waitBeforeNext(error, { repeatable, once: onceKey !== undefined, attempt, attempts, left });
        if (wait === undefined) throw error;
        await sleep(wait, options.signal);
      }
    }
  }

  private async attempt(
    call: Call<unknown>,
    timeout: number,
    onceKey: string | undefined,
    signal?: AbortSignal,
  ): Promise<Answer> {
    if (signal?.aborted) throw new CancelledError(signal.reason);
    const controller = new AbortController();
    const cancel = () => controller.abort();
    signal?.addEventListener('abort', cancel, { once: true });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      controller.abort();
    }, timeout * 1000);
    try {
      const response = await this.settings.fetch(this.address(call), this.request(call, onceKey, controller.signal));
      return { status: response.status, headers: response.headers, content: await this.content(response) };
    } catch (error) {
      controller.abort();
      if (error instanceof KaisatsuError) throw error;
      if (signal?.aborted) throw new CancelledError(signal.reason);
      if (late) throw new TimeoutError(`no whole answer within ${timeout} s`);
      const code = codeOf(error);
      throw new TransportError(`the connection failed${code ? `: ${code}` : ''}`, NOT_CONNECTED.has(code ?? ''), error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  }

  private address(call: Call<unknown>): string {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) query.set(name, String(value));
    }
    const { keyIn, baseUrl } = this.settings;
    if (this.#key !== undefined && keyIn === 'query' && call.hasKey !== false) query.set('APIKEY', this.#key);
    const text = query.toString();
    return `${baseUrl}${call.path}${text ? `?${text}` : ''}`;
  }

  private request(call: Call<unknown>, onceKey: string | undefined, signal: AbortSignal): RequestInit {
    const headers: Record<string, string> = {};
    if (IS_NODE) headers['User-Agent'] = `kaisatsu-sdk-typescript/${VERSION}`;
    const { keyIn } = this.settings;
    if (this.#key !== undefined && keyIn === 'header' && call.hasKey !== false) headers['X-API-Key'] = this.#key;
    if (onceKey !== undefined) headers['Idempotency-Key'] = onceKey;
    if (call.json) headers['Content-Type'] = 'application/json;charset=UTF-8';
    if (call.body) headers['Content-Type'] = 'application/octet-stream';
    const body = call.json ? JSON.stringify(call.json) : (call.form ?? call.body ?? null);
    // A redirect would take the key elsewhere. Cookies are none of our business.
    return { method: call.method, headers, body, signal, redirect: 'manual', credentials: 'omit' };
  }

  /** The body, as far as it is not larger than allowed. */
  private async content(response: Response): Promise<Uint8Array<ArrayBuffer>> {
    const most = this.settings.maxAnswerBytes;
    const tooLarge = () =>
      new MalformedAnswerError(`more than ${most} bytes`, {
        status: response.status,
        requestId: idOf(response.headers),
      });
    if (Number(response.headers.get('Content-Length')) > most) throw tooLarge();
    const pieces: Uint8Array[] = [];
    let size = 0;
    const reader = response.body?.getReader();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      size += part.value.length;
      if (size > most) throw tooLarge();
      pieces.push(part.value);
    }
    const whole = new Uint8Array(size);
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }

  private report(
    call: Call<unknown>,
    attempt: number,
    start: number,
    status?: number,
    requestId?: string,
    error?: string,
  ): void {
    const duration = (now() - start) * 1000;
    this.settings.onRequest?.({ method: call.method, path: call.path, attempt, status, duration, requestId, error });
  }
}

/** @internal The JSON of an answer. Null counts as absent. */
export function jsonOf(answer: Answer): unknown {
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(answer.content);
  } catch {
    throw malformed(answer, 'it is not UTF-8');
  }
  try {
    return JSON.parse(text, (_, value: unknown) => (value === null ? undefined : value));
  } catch {
    throw malformed(answer, 'it is not JSON');
  }
}

function malformed(answer: Answer, what: string): MalformedAnswerError {
  return new MalformedAnswerError(what, { status: answer.status || undefined, requestId: idOf(answer.headers) });
}

function resultOf<T>(call: Call<T>, answer: Answer): T {
  if (answer.status >= 400) throw failureOf(answer);
  if (answer.status < 200 || answer.status >= 300) throw malformed(answer, 'its status is none of Kaisatsu’s');
  try {
    return call.read(answer);
  } catch (error) {
    if (error instanceof Malformed) throw malformed(answer, error.message);
    throw error;
  }
}

function failureOf(answer: Answer): KaisatsuError {
  interface Body {
    error?: { code?: string; message?: string };
    ResultSet?: { Error?: { code?: string; Message?: string } };
  }
  let body: Body = {};
  try {
    const json = jsonOf(answer);
    if (typeof json === 'object' && json !== null) body = json;
  } catch {
    // Something between client and server answered; the status says enough.
  }
  const of = body.ResultSet?.Error;
  const message = body.error?.message ?? of?.Message ?? `the server answered with status ${answer.status}`;
  const seconds = Number(answer.headers.get('Retry-After') ?? NaN);
  const code = body.error?.code ?? of?.code;
  return errorOf(answer.status, message, {
    code: code === undefined ? undefined : String(code),
    requestId: idOf(answer.headers),
    retryAfter: seconds >= 0 ? seconds : undefined,
  });
}

/** @internal An answer without a field that must be there. The message says which. */
export class Malformed extends Error {}

function idOf(headers: Headers): string | undefined {
  return headers.get('X-Request-Id') ?? undefined;
}

function codeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** A UUID of version 4. Browsers have `crypto.randomUUID` only on pages that came over https. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte, at) => {
    const value = at === 6 ? (byte & 0x0f) | 0x40 : at === 8 ? (byte & 0x3f) | 0x80 : byte;
    return value.toString(16).padStart(2, '0');
  }).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function now(): number {
  return performance.now() / 1000;
}

/** @internal Waits, unless the caller cancels. */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new CancelledError(signal.reason));
    const cancel = () => {
      clearTimeout(timer);
      reject(new CancelledError(signal?.reason));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cancel);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', cancel, { once: true });
  });
}
