import { t } from '$/lib/i18n.svelte';

/** What the codes of the public API mean where images are uploaded and datasets made of them. */
export function refusals(): Record<string, string> {
  const words = t.datasets.refusals;
  return { 105: words.notAnImage, 119: words.tooLarge, 201: words.denied, 301: words.gone };
}
