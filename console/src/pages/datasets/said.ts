import { t } from '$/lib/i18n.svelte';
import { PublicError } from '$/lib/public';
import { wording } from '$/lib/wording';

/** What to say of a refusal of an upload or of a new dataset: those that people meet in their own language, others as the server said it. */
export function said(error: unknown): string {
  if (!(error instanceof PublicError)) return wording(error);
  const words = t.datasets.refusals;
  if (error.code === '105') return words.notAnImage;
  if (error.code === '119') return words.tooLarge;
  if (error.code === '201') return words.denied;
  if (error.code === '301') return words.gone;
  // Limits of several kinds have this code, and only the server knows which it was; but it begins with the name of the operation.
  const message = error.message.replace(/^userCategory\/\w+: /, '');
  const content = error.code === '204' ? `${words.limit} (${message})` : message;
  return wording(new PublicError(error.code, content, error.status, error.retryAfter));
}
