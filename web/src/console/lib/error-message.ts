import { ConsoleError } from '$/lib/console';
import { format } from '$/lib/format';
import { t } from '$/lib/i18n.svelte';
import { PublicError } from '$/lib/public';

/** A description of an error, and the server's own message in English if it adds something. */
export type Explanation = { text: string; server: string | null };
type MessageKey = keyof typeof t.common.errors;

/** The two parts of the public API use different codes for the same errors, but the same statuses. */
const BY_STATUS: Record<number, MessageKey> = {
  401: 'keyRefused',
  403: 'keyDisabled',
  404: 'notFound',
  405: 'method',
  409: 'stillBuilding',
  413: 'tooLarge',
  415: 'mediaType',
  429: 'limit',
  500: 'internal',
};

function messageKeyOf({ code, status }: PublicError): MessageKey {
  if (code === 'offline') return 'offline';
  if (code === '203') return 'spaceUsedUp';
  return BY_STATUS[status] ?? (status > 500 ? 'unavailable' : 'invalid');
}

function describe(error: unknown, overrides: Record<string, string>): Explanation {
  const words: Record<string, string> = t.common.errors;
  if (error instanceof ConsoleError) return { text: words[error.code] ?? error.message, server: null };
  if (!(error instanceof PublicError)) return { text: t.common.errors.internal, server: null };
  // Messages of the recognition API begin with the name of the operation, which means nothing to users of the console.
  const serverMessage = error.code === 'offline' ? null : error.message.replace(/^[a-z]+(\/[a-z]+)?: /i, '');
  return { text: overrides[error.code] ?? t.common.errors[messageKeyOf(error)], server: serverMessage };
}

/**
 * Describes an error in the current language. `overrides` contains more specific messages of a page, by error code of
 * the public API.
 */
export function explainError(error: unknown, overrides: Record<string, string> = {}): Explanation {
  const { text, server } = describe(error, overrides);
  const wait = error instanceof ConsoleError || error instanceof PublicError ? error.retryAfter : null;
  return { text: wait ? `${text} ${t.common.retryIn(format.duration(wait * 1000))}` : text, server };
}

/** The same as a single string, for use without markup. */
export function errorMessage(error: unknown): string {
  const { text, server } = explainError(error);
  return server ? `${text} ${t.common.serverSays}: ${server}` : text;
}

/** Whether the request was cancelled by the console itself, which is not reported to the user. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
