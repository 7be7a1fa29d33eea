import { expect, test } from 'vitest';
import type { Usage } from '$/lib/console';
import { CONSOLE, errorShare, filtered, moments, stacked, steps, sumsBy, totals, type UsageRow } from './usage';

const row = (at: string, key: string | null, operation: string, requests: number, failed = 0): UsageRow => ({
  at,
  key,
  operation,
  requests,
  refused: 0,
  failed,
  micros: 0,
  classes: [requests, 0],
});
const rows = [
  row('2026-03-10T00:00:00Z', 'a', 'railmapDetail', 5),
  row('2026-03-10T01:00:00Z', 'b', 'railmapDetail', 2, 1),
  row('2026-03-10T01:00:00Z', null, 'classify', 3),
];
const usage: Usage = {
  from: '2026-03-10T00:00:00Z',
  to: '2026-03-10T03:00:00Z',
  stepSeconds: 3600,
  bounds: [10],
  rows,
};

test('a period has all its steps, those without requests too', () => {
  expect(moments(usage)).toHaveLength(3);
  expect(steps(usage, rows).map(({ requests }) => requests)).toEqual([5, 5, 0]);
});

test('rows are filtered by key and operation; calls of the console have no key', () => {
  expect(filtered(rows, { key: '', operation: '' })).toHaveLength(3);
  expect(filtered(rows, { key: 'b', operation: 'railmapDetail' })).toEqual([rows[1]]);
  expect(filtered(rows, { key: CONSOLE, operation: '' })).toEqual([rows[2]]);
});

test('totals add requests, failures and classes of times', () => {
  expect(totals(rows, 2)).toEqual({ requests: 10, refused: 0, failed: 1, classes: [10, 0] });
});

test('sums by operation come largest first', () => {
  const sums = sumsBy(rows, 2, (one) => one.operation);
  expect(sums.map(({ group, sum }) => [group, sum.requests])).toEqual([
    ['railmapDetail', 7],
    ['classify', 3],
  ]);
});

test('more than eight groups become seven and the others', () => {
  const many = Array.from({ length: 9 }, (_, index) => row(usage.from, null, `operation ${index}`, 9 - index));
  const { groups, others, bars } = stacked(usage, many, (one) => one.operation);
  expect(groups).toHaveLength(7);
  expect(others).toBe(true);
  expect(bars[0]?.values).toEqual([9, 8, 7, 6, 5, 4, 3, 2 + 1]);
  expect(stacked(usage, many.slice(0, 8), (one) => one.operation)).toMatchObject({ others: false });
});

test('the share of errors is unknown without requests', () => {
  expect(errorShare(totals(rows, 2))).toBeCloseTo(0.1);
  expect(errorShare(totals([], 2))).toBeNull();
});
