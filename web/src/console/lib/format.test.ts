import { describe, expect, test } from 'vitest';
import { format } from './format';

// Intl separates units by a no-break space in some versions of its data.
const plain = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ');

describe('numbers', () => {
  test('have thousands separators, and as many digits as asked for', () => {
    expect(format.number(1234567)).toBe('1,234,567');
    expect(format.number(1.25, 1)).toBe('1.3');
    expect(format.compact(12_345)).toBe('12.3k');
    expect(format.percent(0.256)).toBe('26%');
    expect(format.percent(0.256, 1)).toBe('25.6%');
  });
});

test.each([
  [0, '0 byte'],
  [999, '999 byte'],
  [1000, '1 kB'],
  [1550, '1.6 kB'],
  [123_456, '123 kB'],
  [4_500_000_000, '4.5 GB'],
])('%i bytes are %s', (bytes, text) => expect(plain(format.bytes(bytes))).toBe(text));

// Versions of Intl abbreviate seconds, minutes and hours differently.
test.each([
  [0.44, /^0\.4 ms$/],
  [23.4, /^23 ms$/],
  [1230, /^1\.2 s/],
  [59_000, /^59 s/],
  [300_000, /^5 min/],
  [5_400_000, /^1\.5 h/],
  [172_800_000, /^2 days$/],
])('%f milliseconds are %s', (milliseconds, text) => expect(plain(format.duration(milliseconds))).toMatch(text));

describe('relative times', () => {
  const now = Date.parse('2026-03-10T12:00:00Z');
  test.each([
    ['2026-03-10T11:57:00Z', '3 minutes ago'],
    ['2026-03-10T14:00:00Z', 'in 2 hours'],
    ['2026-03-09T11:00:00Z', '1 day ago'],
    ['2026-03-11T13:00:00Z', 'in 1 day'],
    ['2025-03-01T00:00:00Z', '1 year ago'],
    ['2026-03-10T12:00:00Z', 'now'],
  ])('%s is %s', (when, text) => expect(format.relative(when, now)).toBe(text));
});
