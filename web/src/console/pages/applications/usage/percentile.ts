/** The duration in milliseconds below which a share of the requests completed. */
export type Percentile = {
  ms: number;
  /** The request is in the last, open-ended bucket: it took `ms` or longer. */
  above: boolean;
};

/**
 * Computes a percentile from a histogram of durations. Bucket k counts the requests that took at least `bounds[k - 1]`
 * (0 for the first) and less than `bounds[k]` milliseconds; the last bucket, `classes[bounds.length]`, is open-ended.
 * Requests are assumed to be distributed evenly within their bucket: the result is interpolated linearly between its
 * bounds. For example, the median of 4 requests in the bucket from 10 to 30 ms (rank 2 of 4) is 20 ms. There is no
 * upper bound to interpolate to in the open-ended bucket, so the result is its lower bound, marked `above`. Returns
 * null without requests. `share` is from 0 to 1.
 */
export function percentile(share: number, bounds: readonly number[], classes: readonly number[]): Percentile | null {
  const total = classes.reduce((sum, count) => sum + count, 0);
  if (total <= 0) return null;
  const rank = Math.min(1, Math.max(0, share)) * total;
  let before = 0;
  for (const [at, count] of classes.entries()) {
    if (count > 0 && before + count >= rank) {
      const lower = at === 0 ? 0 : (bounds[at - 1] ?? 0);
      const upper = bounds[at];
      if (upper === undefined) return { ms: lower, above: true };
      return { ms: lower + ((rank - before) / count) * (upper - lower), above: false };
    }
    before += count;
  }
  // Reached only if rounding leaves the rank slightly above the total.
  return { ms: bounds.at(-1) ?? 0, above: (classes[bounds.length] ?? 0) > 0 };
}
