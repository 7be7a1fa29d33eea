import type { Usage } from '$/lib/console';

const DAY = 86_400_000;
/** With fewer requests, a single mistake while trying something out would raise an alarm. */
const MIN_REQUESTS = 20;
const MIN_SHARE = 0.1;

export type Failing = { requests: number; refused: number; failed: number; share: number };

/**
 * The requests of the last 24 hours, by the hour, if at least a tenth of at least twenty failed; otherwise null.
 * `refused` are those the caller was answered 4xx, `failed` those the server could not answer (5xx).
 */
export function failingIn(usage: Pick<Usage, 'rows'>, now = Date.now()): Failing | null {
  const sum = { requests: 0, refused: 0, failed: 0 };
  for (const row of usage.rows) {
    if (Date.parse(row.at) <= now - DAY) continue;
    sum.requests += row.requests;
    sum.refused += row.refused;
    sum.failed += row.failed;
  }
  const share = (sum.refused + sum.failed) / sum.requests;
  return sum.requests >= MIN_REQUESTS && share >= MIN_SHARE ? { ...sum, share } : null;
}
