import { format } from '$/lib/format';
import { t } from '$/lib/i18n.svelte';
import type { Percentile } from './percentile';

/** Formats a percentile: 23 ms, 1.2 s, over 3 s; a dash without requests. */
export function latency(found: Percentile | null): string {
  if (found === null) return '–';
  const span = format.duration(found.ms);
  return found.above ? t.applications.usage.above(span) : span;
}
