import { expect, test, vi } from 'vitest';
import { weekBars, weekDays, type ApplicationUsage } from './week';

vi.mock('$/lib/console', () => ({ api: {} }));

const now = new Date(2026, 2, 10, 15, 30);
const days = weekDays(now);
const share = (name: string, requests: number, at: Date): ApplicationUsage =>
  ({
    application: { name },
    usage: { rows: [{ at: at.toISOString(), requests, refused: 1, failed: 0 }] },
  }) as unknown as ApplicationUsage;

test('a week is today and the six days before, from midnight to midnight', () => {
  expect(days).toHaveLength(7);
  expect(days[0]).toBe(new Date(2026, 2, 4).getTime());
  expect(days[6]).toBe(new Date(2026, 2, 10).getTime());
});

test('requests are counted by day, and what is older is left out', () => {
  const today = share('today', 5, new Date(2026, 2, 10, 1));
  const old = share('old', 9, new Date(2026, 2, 3, 23));
  const week = weekBars([today, old], days);
  expect(week).toMatchObject({ names: ['today'], others: false, requests: 5, errors: 1 });
  expect(week.bars.map(({ values }) => values[0])).toEqual([0, 0, 0, 0, 0, 0, 5]);
});

test('more than eight applications become the seven busiest and the others; equal names are told apart', () => {
  const shares = Array.from({ length: 9 }, (_, index) => share('same', 10 + index, now));
  const week = weekBars(shares, days);
  expect(week.others).toBe(true);
  expect(week.names).toEqual(['same', ...[2, 3, 4, 5, 6, 7].map((number) => `same (${number})`)]);
  expect(week.bars[6]?.values).toEqual([18, 17, 16, 15, 14, 13, 12, 11 + 10]);
});
