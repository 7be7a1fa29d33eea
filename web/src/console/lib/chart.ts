import { format } from '$/lib/format';

export type Scale = { max: number; ticks: number[] };

/** Ticks at round steps (1, 2, 2.5 or 5 times a power of ten), which are easy to interpolate between. */
export function valueScale(highest: number, wanted = 4, whole = false): Scale {
  if (!(highest > 0)) return { max: 1, ticks: [0, 1] };
  const rough = highest / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = ((whole ? [1, 2, 5, 10] : [1, 2, 2.5, 5, 10]).find((factor) => factor * power >= rough) ?? 10) * power;
  if (whole) step = Math.max(1, Math.ceil(step));
  const count = Math.ceil(highest / step - 1e-9);
  return { max: count * step, ticks: Array.from({ length: count + 1 }, (_, at) => at * step) };
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * The local time at which a step is drawn. The server counts days in UTC, but charts label days in local time. A UTC
 * day is therefore drawn at local midnight of the same date; otherwise its label would be the previous day west of
 * Greenwich.
 */
export function drawnAt(at: string | number, stepSeconds: number): number {
  const when = new Date(at);
  return stepSeconds * 1000 < DAY
    ? when.getTime()
    : new Date(when.getUTCFullYear(), when.getUTCMonth(), when.getUTCDate()).getTime();
}

/** Ticks of the time axis: full hours, days, weeks or months, as many as fit. */
export function timeTicks(from: number, to: number, room: number): number[] {
  const steps = [
    HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
    30 * DAY,
    60 * DAY,
    90 * DAY,
    180 * DAY,
  ];
  const step = steps.find((one) => (to - from) / one <= room + 0.5) ?? 365 * DAY;
  const start = new Date(from);
  if (step < DAY) start.setMinutes(0, 0, 0);
  else start.setHours(0, 0, 0, 0);
  if (step < DAY) start.setHours(Math.ceil(start.getHours() / (step / HOUR)) * (step / HOUR));
  const ticks: number[] = [];
  // Uses calendar days, because not all days are 24 hours long.
  for (
    const at = start;
    at.getTime() <= to;
    step < DAY ? at.setTime(at.getTime() + step) : at.setDate(at.getDate() + step / DAY)
  )
    if (at.getTime() >= from) ticks.push(at.getTime());
  return ticks;
}

export const timeLabel = (at: number, span: number) => (span <= 2 * DAY ? format.time(at) : format.dayMonth(at));
export const pointLabel = (at: number, step: number) => (step < DAY ? format.dateTime(at) : format.date(at));

/** The colour of a series. There are eight. */
export const colour = (at: number) => `var(--chart-${(at % 8) + 1})`;

/** The index of the nearest of several sorted times. */
export function nearest(times: number[], at: number): number {
  let best = 0;
  for (const [index, time] of times.entries())
    if (Math.abs(time - at) < Math.abs((times[best] ?? 0) - at)) best = index;
  return best;
}
