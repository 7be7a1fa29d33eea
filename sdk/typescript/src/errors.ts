/** The kinds of errors, the same in the clients of all languages. */
export type ErrorKind =
  | 'badRequest'
  | 'unauthorised'
  | 'forbidden'
  | 'notFound'
  | 'conflict'
  | 'tooLarge'
  | 'rateLimited'
  | 'unavailable'
  | 'serverError'
  | 'transport'
  | 'timeout'
  | 'cancelled'
  | 'malformedAnswer'
  | 'dataSetFailed';

/** What is known about an error. */
export interface ErrorDetails {
  status?: number | undefined;
  code?: string | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** The base of all errors of this package. None of its fields contains a key or a token. */
export class KaisatsuError extends Error {
  override name = 'KaisatsuError';
  /** What kind of error it is; `switch` over it, or ask `instanceof` for the classes. */
  readonly kind: ErrorKind;
  /** The HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** The code of the server: "W404" of a route map, "301" of image recognition. */
  readonly code: string | undefined;
  /** What the operator of the server finds the request by in the log. */
  readonly requestId: string | undefined;
  /** After how many seconds it makes sense to try again, where the server says so. */
  readonly retryAfter: number | undefined;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

/** The server answered with a failure. */
export class ApiError extends KaisatsuError {
  override name = 'ApiError';
}

/** A parameter, a picture or the body is invalid (400, 405, 415). */
export class BadRequestError extends ApiError {
  override name = 'BadRequestError';
}

/** The key (code 116, W401) or the user's token (code 117) is missing, unknown or expired. */
export class UnauthorisedError extends ApiError {
  override name = 'UnauthorisedError';
}

/** The key is disabled, or its scope does not allow this. */
export class ForbiddenError extends ApiError {
  override name = 'ForbiddenError';
}

/** There is no such map, station, recognition, image or dataset. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}

/**
 * The dataset is still being built (`datasets.waitUntilReady` waits for it), or an `idempotencyKey` was used for
 * another request.
 */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}

/** The picture has too many bytes or pixels. */
export class TooLargeError extends ApiError {
  override name = 'TooLargeError';
}

/** The rate limit or the day's quota is used up (429). */
export class RateLimitedError extends ApiError {
  override name = 'RateLimitedError';
}

/** The server is not ready or overloaded (503). */
export class UnavailableError extends ApiError {
  override name = 'UnavailableError';
}

/** A failure of the server (500). */
export class ServerError extends ApiError {
  override name = 'ServerError';
}

/** There was no connection, or it was cut. */
export class TransportError extends KaisatsuError {
  override name = 'TransportError';
  /** Whether it is certain that the server got nothing, so that repeating is harmless. */
  readonly nothingSent: boolean;

  constructor(message: string, nothingSent: boolean, cause?: unknown) {
    super('transport', message, { cause });
    this.nothingSent = nothingSent;
  }
}

/** An attempt took longer than `timeout`, or the call longer than `totalTimeout`. */
export class TimeoutError extends KaisatsuError {
  override name = 'TimeoutError';

  constructor(message: string) {
    super('timeout', message);
  }
}

/** The caller's signal was aborted; `cause` is its reason. */
export class CancelledError extends KaisatsuError {
  override name = 'CancelledError';

  constructor(cause?: unknown) {
    super('cancelled', 'the call was cancelled', { cause });
  }
}

/** The answer is too large, not UTF-8, not JSON, or lacks a field: it is probably not from Kaisatsu. */
export class MalformedAnswerError extends KaisatsuError {
  override name = 'MalformedAnswerError';

  constructor(what: string, details: ErrorDetails = {}) {
    super('malformedAnswer', `malformed answer: ${what}`, details);
  }
}

/** The dataset that was waited for could not be built. */
export class DataSetFailedError extends KaisatsuError {
  override name = 'DataSetFailedError';
  /** The dataset. */
  readonly dataSetId: string;
  /** Why, in the server's words. */
  readonly reason: string | undefined;

  constructor(dataSetId: string, reason?: string) {
    super('dataSetFailed', `dataset ${dataSetId} could not be built: ${reason ?? 'the server does not say why'}`);
    this.dataSetId = dataSetId;
    this.reason = reason;
  }
}

const BY_STATUS: Record<number, [ErrorKind, typeof ApiError]> = {
  401: ['unauthorised', UnauthorisedError],
  403: ['forbidden', ForbiddenError],
  404: ['notFound', NotFoundError],
  409: ['conflict', ConflictError],
  413: ['tooLarge', TooLargeError],
  429: ['rateLimited', RateLimitedError],
  503: ['unavailable', UnavailableError],
};

/** @internal The error of an answer. */
export function errorOf(status: number, message: string, details: ErrorDetails): ApiError {
  const other: [ErrorKind, typeof ApiError] =
    status >= 500 ? ['serverError', ServerError] : ['badRequest', BadRequestError];
  const [kind, type] = BY_STATUS[status] ?? other;
  return new type(kind, message, { ...details, status });
}
