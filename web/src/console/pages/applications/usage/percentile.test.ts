import { expect, test } from 'vitest';
import { percentile } from './percentile';

const bounds = [1, 3, 10, 30, 100, 300, 1000, 3000];
const classes = (counts: Record<number, number>) => Array.from({ length: 9 }, (_, at) => counts[at] ?? 0);

test('a percentile lies as far in its class as its rank does', () => {
  expect(percentile(0.5, bounds, classes({}))).toBeNull();
  expect(percentile(0.5, bounds, classes({ 3: 4 }))).toEqual({ ms: 20, above: false });
  expect(percentile(1, bounds, classes({ 0: 2 }))).toEqual({ ms: 1, above: false });
  expect(percentile(0.95, bounds, classes({ 1: 90, 4: 10 }))).toEqual({ ms: 65, above: false });
  expect(percentile(0.99, bounds, classes({ 1: 1, 8: 1 }))).toEqual({ ms: 3000, above: true });
  expect(percentile(0, bounds, classes({ 2: 5 }))).toEqual({ ms: 3, above: false });
});

test('percentiles never fall as their share grows', () => {
  for (let seed = 1; seed < 200; seed++) {
    const counts = Array.from({ length: 9 }, (_, at) => (seed * (at + 7) * 2654435761) % 17);
    const times = [0, 0.1, 0.5, 0.9, 0.99, 1].map((share) => percentile(share, bounds, counts)?.ms ?? 0);
    expect(times, String(counts)).toEqual([...times].sort((a, b) => a - b));
  }
});
