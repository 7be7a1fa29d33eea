import { expect, test, vi } from 'vitest';
import type { Application, Usage } from '$/lib/console';
import { failingIn } from './failures';
import { failureTodos } from './todo';
import type { ApplicationUsage } from './week';

vi.mock('$/lib/console', () => ({ api: {} }));
vi.mock('$/lib/router.svelte', () => ({
  href: (name: string, ...rest: unknown[]) => `${name} ${JSON.stringify(rest)}`,
}));

const now = Date.parse('2026-03-10T15:30:00Z');
type Row = [at: string, requests: number, refused: number, failed: number];
const usage = (...rows: Row[]) =>
  ({ rows: rows.map(([at, requests, refused, failed]) => ({ at, requests, refused, failed })) }) as unknown as Usage;
const share = (rows: Usage, application: Partial<Application> = {}): ApplicationUsage => ({
  application: { id: 'a1', name: 'station-guide', disabledAt: null, ...application } as Application,
  usage: rows,
});

test('a tenth of at least twenty requests of the last 24 hours is worth a warning', () => {
  expect(failingIn(usage(['2026-03-10T15:00:00Z', 20, 1, 1]), now)).toEqual({
    requests: 20,
    refused: 1,
    failed: 1,
    share: 0.1,
  });
  expect(failingIn(usage(['2026-03-10T15:00:00Z', 21, 1, 1]), now), 'less than a tenth').toBeNull();
  expect(failingIn(usage(['2026-03-10T15:00:00Z', 19, 19, 0]), now), 'too few to say').toBeNull();
  expect(failingIn(usage(), now), 'no requests').toBeNull();
});

test('hours are summed up, and those before yesterday’s are left out', () => {
  const rows = usage(
    ['2026-03-09T15:00:00Z', 500, 500, 0],
    ['2026-03-09T16:00:00Z', 10, 0, 2],
    ['2026-03-10T15:00:00Z', 10, 3, 0],
  );
  expect(failingIn(rows, now)).toEqual({ requests: 20, refused: 3, failed: 2, share: 0.25 });
});

test('the item names the application and its share, tells whose fault it is, and leads to the failed requests', () => {
  const [both] = failureTodos([share(usage(['2026-03-10T15:00:00Z', 24, 10, 2]))], now);
  expect(both).toMatchObject({
    tone: 'warn',
    title: '50% of the requests of station-guide failed',
    text: 'Of 24 requests in the last 24 hours, 10 were rejected (4xx) and 2 failed on the server (5xx).',
    href: 'application [{"id":"a1"},{"show":"failures"}]',
  });
  const [refused] = failureTodos([share(usage(['2026-03-10T15:00:00Z', 24, 12, 0]))], now);
  expect(refused?.text).toBe('Of 24 requests in the last 24 hours, 12 were rejected (4xx).');
  const [failed] = failureTodos([share(usage(['2026-03-10T15:00:00Z', 40, 0, 4]))], now);
  expect(failed).toMatchObject({
    tone: 'bad',
    text: 'Of 40 requests in the last 24 hours, 4 failed on the server (5xx).',
  });
});

test('a share below 1 is never rounded up to all, and a disabled application is left alone', () => {
  const [almost] = failureTodos([share(usage(['2026-03-10T15:00:00Z', 1000, 999, 0]))], now);
  expect(almost?.title).toBe('99% of the requests of station-guide failed');
  const off = share(usage(['2026-03-10T15:00:00Z', 24, 12, 0]), { disabledAt: '2026-03-10T15:10:00Z' });
  expect(failureTodos([off], now)).toEqual([]);
});
