import { i18n } from '$/lib/i18n.svelte';

// Dates, numbers and durations in the format of the current language. All of them react to a change of language.

type When = string | number | Date;
const locale = () => (i18n.language === 'ja' ? 'ja-JP' : 'en-GB');
const cache = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat>();

/** Creating formatters is expensive, and every row of a table needs them. */
function cached<F extends Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat>(
  name: string,
  make: (locale: string) => F,
): F {
  const key = `${locale()} ${name}`;
  const existing = cache.get(key);
  if (existing) return existing as F;
  const created = make(locale());
  cache.set(key, created);
  return created;
}

const dates = (options: Intl.DateTimeFormatOptions) =>
  cached(JSON.stringify(options), (l) => new Intl.DateTimeFormat(l, options));
const numbers = (options: Intl.NumberFormatOptions) =>
  cached(JSON.stringify(options), (l) => new Intl.NumberFormat(l, options));
const relativeTimes = (numeric: 'always' | 'auto') =>
  cached(`relative ${numeric}`, (l) => new Intl.RelativeTimeFormat(l, { numeric }));
const unit = (name: string, digits = 0) =>
  numbers({ style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: digits });

export const format = {
  number: (value: number, digits = 0) => numbers({ maximumFractionDigits: digits }).format(value),
  /** 12.3k, 1.2万 */
  compact: (value: number) => numbers({ notation: 'compact', maximumFractionDigits: 1 }).format(value),
  /** Formats a share from 0 to 1. */
  percent: (share: number, digits = 0) =>
    numbers({ style: 'percent', maximumFractionDigits: digits, minimumFractionDigits: digits }).format(share),
  date: (when: When) => dates({ dateStyle: 'medium' }).format(new Date(when)),
  dateTime: (when: When) => dates({ dateStyle: 'medium', timeStyle: 'short' }).format(new Date(when)),
  time: (when: When) => dates({ timeStyle: 'short' }).format(new Date(when)),
  dayMonth: (when: When) => dates({ day: 'numeric', month: 'short' }).format(new Date(when)),

  bytes(value: number): string {
    const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
    const step = value < 1000 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), units.length - 1);
    const scaled = value / 1000 ** step;
    return unit(units[step] ?? 'byte', step > 0 && scaled < 100 ? 1 : 0).format(scaled);
  },

  /** Formats milliseconds: 0.4 ms, 23 ms, 1.2 s, 5 min */
  duration(milliseconds: number): string {
    if (milliseconds < 1000) return unit('millisecond', milliseconds < 10 ? 1 : 0).format(milliseconds);
    if (milliseconds < 60_000) return unit('second', milliseconds < 10_000 ? 1 : 0).format(milliseconds / 1000);
    if (milliseconds < 3_600_000) return unit('minute').format(milliseconds / 60_000);
    if (milliseconds < 86_400_000) return unit('hour', 1).format(milliseconds / 3_600_000);
    return unit('day', 1).format(milliseconds / 86_400_000);
  },

  /**
   * now, 3 minutes ago, in 2 hours, 1 day ago. Never "tomorrow": 47 hours are rounded down to one day, but may end the
   * day after tomorrow.
   */
  relative(when: When, now = Date.now()): string {
    const seconds = (new Date(when).getTime() - now) / 1000;
    const steps: [Intl.RelativeTimeFormatUnit, number][] = [
      ['year', 31_557_600],
      ['month', 2_629_800],
      ['week', 604_800],
      ['day', 86_400],
      ['hour', 3600],
      ['minute', 60],
    ];
    for (const [name, size] of steps)
      if (Math.abs(seconds) >= size) return relativeTimes('always').format(Math.trunc(seconds / size), name);
    return relativeTimes('auto').format(Math.trunc(seconds), 'second');
  },
};
