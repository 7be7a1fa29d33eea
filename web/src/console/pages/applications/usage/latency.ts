import { format } from '$/lib/format';
import { t } from '$/lib/i18n.svelte';
import type { Percentile } from './percentile';

/** A percentile in words: 23 ms, 1.2 s, over 3 s; a dash without any request. */
export function latency(found: Percentile | null): string {
  if (found === null) return '–';
  const span = format.duration(found.ms);
  return found.above ? t.applications.usage.above(span) : span;
}
