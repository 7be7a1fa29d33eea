import { ConsoleError } from '$/lib/console';
import { format } from '$/lib/format';
import { t } from '$/lib/i18n.svelte';
import { PublicError } from '$/lib/public';

/** What to say about a failure, in the language in force where there are words for it. */
export function wording(error: unknown): string {
  if (!(error instanceof ConsoleError || error instanceof PublicError)) return t.common.errors.internal;
  const words: Record<string, string> = t.common.errors;
  const known = error instanceof ConsoleError || error.code === 'offline' ? words[error.code] : undefined;
  const text = known ?? error.message;
  return error.retryAfter ? `${text} ${t.common.retryIn(format.duration(error.retryAfter * 1000))}` : text;
}

/** Whether the request was stopped by ourselves, which is nothing to tell anybody. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
