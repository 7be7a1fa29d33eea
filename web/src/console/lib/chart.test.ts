import { expect, test } from 'vitest';
import { drawnAt, nearest, timeTicks, valueScale } from './chart';

test.each([
  [0, { max: 1, ticks: [0, 1] }],
  [7, { max: 8, ticks: [0, 2, 4, 6, 8] }],
  [100, { max: 100, ticks: [0, 25, 50, 75, 100] }],
  [0.9, { max: 1, ticks: [0, 0.25, 0.5, 0.75, 1] }],
])('the axis up to %d has round steps', (highest, scale) => expect(valueScale(highest)).toEqual(scale));

test('an axis of counts has whole steps', () => {
  expect(valueScale(3, 4, true).ticks).toEqual([0, 1, 2, 3]);
  expect(valueScale(1, 4, true).ticks).toEqual([0, 1]);
  expect(valueScale(10, 4, true).ticks).toEqual([0, 5, 10]);
});

test('an axis covers its highest value', () => {
  for (let highest = 0.01; highest < 1e7; highest *= 1.37) {
    const { max, ticks } = valueScale(highest);
    expect(max).toBeGreaterThanOrEqual(highest * (1 - 1e-9));
    expect(ticks.length, String(highest)).toBeLessThanOrEqual(6);
  }
});

test('a step of a day is drawn at the midnight of its date, a shorter one at its moment', () => {
  const at = '2026-03-10T00:00:00Z';
  expect(drawnAt(at, 86_400)).toBe(new Date(2026, 2, 10).getTime());
  expect(drawnAt('2026-03-10T05:30:00Z', 3600)).toBe(Date.parse('2026-03-10T05:30:00Z'));
});

test('the ticks of a time axis are full hours or days, no more than there is room for', () => {
  const from = new Date(2026, 2, 10, 0, 20).getTime();
  const hour = 3_600_000;
  const hours = timeTicks(from, from + 24 * hour, 8);
  expect(hours.map((at) => new Date(at).getHours())).toEqual([3, 6, 9, 12, 15, 18, 21, 0]);
  const days = timeTicks(from, from + 30 * 24 * hour, 6);
  expect(days.every((at) => new Date(at).getHours() === 0 && at >= from)).toBe(true);
  expect(days.length).toBeLessThanOrEqual(6);
});

test('the nearest of several moments', () => {
  expect(nearest([0, 10, 20], 14)).toBe(1);
  expect(nearest([0, 10, 20], 16)).toBe(2);
  expect(nearest([], 5)).toBe(0);
});
