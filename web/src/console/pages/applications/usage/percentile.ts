/** A time below which a share of the requests stayed, in milliseconds. */
export type Percentile = {
  ms: number;
  /** The request lies in the open class above the last bound: it took `ms` or longer, and nobody knows how long. */
  above: boolean;
};

/**
 * A percentile out of counts by classes of times.
 *
 * Class k holds the requests that took at least `bounds[k - 1]` (0 for the first) and less than `bounds[k]`
 * milliseconds; one more
 * class, `classes[bounds.length]`, holds all from the last bound on. The requests are thought to be spread evenly over
 * their class:
 * the wanted rank is `share` times their number, it falls into the first class up to whose end there are at least that
 * many, and
 * the time is as far between the class's bounds as the rank is between the requests before the class and those up to
 * its end.
 * So 4 requests in the class from 10 to 30 ms have the median (rank 2 of 4) 20 ms. In the open class there is nothing
 * to interpolate
 * to: the answer is its lower bound, marked `above`.
 *
 * Null without any request. `share` is from 0 to 1.
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
  // Only where rounding left the rank a hair above the total.
  return { ms: bounds.at(-1) ?? 0, above: (classes[bounds.length] ?? 0) > 0 };
}
