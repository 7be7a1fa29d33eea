import { t } from '$/lib/i18n.svelte';

/** Messages for the error codes of uploading images and creating datasets. */
export function errorMessages(): Record<string, string> {
  const words = t.datasets.errors;
  return { 105: words.notAnImage, 119: words.tooLarge, 201: words.denied, 301: words.gone };
}
