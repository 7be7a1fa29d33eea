import { drawnAt } from '$/lib/chart';
import type { Usage } from '$/lib/console';

export type UsageRow = Usage['rows'][number];
export type Filter = { key: string; operation: string };
/** The key filter for requests made by the console itself. */
export const CONSOLE = 'console';

export type Sum = { requests: number; refused: number; failed: number; classes: number[] };
export type Step = Sum & { at: number };

const none = (classes: number): Sum => ({
  requests: 0,
  refused: 0,
  failed: 0,
  classes: Array.from({ length: classes }, () => 0),
});

function add(sum: Sum, row: UsageRow) {
  sum.requests += row.requests;
  sum.refused += row.refused;
  sum.failed += row.failed;
  for (const [at, count] of row.classes.entries()) sum.classes[at] = (sum.classes[at] ?? 0) + count;
}

export function filtered(rows: UsageRow[], { key, operation }: Filter): UsageRow[] {
  return rows.filter(
    (row) => (key === '' || (row.key ?? CONSOLE) === key) && (operation === '' || row.operation === operation),
  );
}

/** All steps of the period. Steps without requests are zero, not omitted. */
export function moments(usage: Pick<Usage, 'from' | 'to' | 'stepSeconds'>): number[] {
  const step = usage.stepSeconds * 1000;
  const from = Date.parse(usage.from);
  return Array.from(
    { length: Math.max(0, Math.round((Date.parse(usage.to) - from) / step)) },
    (_, at) => from + at * step,
  );
}

export function totals(rows: UsageRow[], classes: number): Sum {
  const sum = none(classes);
  for (const row of rows) add(sum, row);
  return sum;
}

/** The requests in each step of the period. */
export function steps(usage: Usage, rows: UsageRow[]): Step[] {
  const size = usage.bounds.length + 1;
  const byMoment = new Map(moments(usage).map((at) => [at, { at: drawnAt(at, usage.stepSeconds), ...none(size) }]));
  for (const row of rows) {
    const step = byMoment.get(Date.parse(row.at));
    if (step) add(step, row);
  }
  return [...byMoment.values()];
}

/** Sums rows by group, largest first. */
export function sumsBy(
  rows: UsageRow[],
  classes: number,
  group: (row: UsageRow) => string,
): { group: string; sum: Sum }[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const name = group(row);
    const sum = sums.get(name) ?? none(classes);
    add(sum, row);
    sums.set(name, sum);
  }
  return [...sums]
    .map(([name, sum]) => ({ group: name, sum }))
    .sort((a, b) => b.sum.requests - a.sum.requests || a.group.localeCompare(b.group));
}

/** There are eight colours: groups after the seventh are combined. */
const MOST_SERIES = 8;
export type Stack = { groups: string[]; others: boolean; bars: { at: number; values: number[] }[] };

/**
 * The requests of each step by group, in the order of `groups`. The last value combines the remaining groups if there
 * are too many.
 */
export function stacked(usage: Usage, rows: UsageRow[], group: (row: UsageRow) => string): Stack {
  const all = sumsBy(rows, 0, group).map((one) => one.group);
  const others = all.length > MOST_SERIES;
  const groups = others ? all.slice(0, MOST_SERIES - 1) : all;
  const size = groups.length + (others ? 1 : 0);
  const place = new Map(groups.map((name, at) => [name, at]));
  const bars = new Map(
    moments(usage).map((at) => [
      at,
      { at: drawnAt(at, usage.stepSeconds), values: Array.from({ length: size }, () => 0) },
    ]),
  );
  for (const row of rows) {
    const values = bars.get(Date.parse(row.at))?.values;
    const at = place.get(group(row)) ?? size - 1;
    if (values) values[at] = (values[at] ?? 0) + row.requests;
  }
  return { groups, others, bars: [...bars.values()] };
}

/** The share of requests that were refused or failed, or null without requests. */
export const errorShare = (sum: Sum): number | null =>
  sum.requests > 0 ? (sum.refused + sum.failed) / sum.requests : null;
