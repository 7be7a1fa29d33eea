import { format } from '$/lib/format';

export type Scale = { max: number; ticks: number[] };

/** Round steps (1, 2 or 5 times a power of ten), so that a reader can interpolate. */
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
 * Where a step is drawn. Days are counted in UTC; charts name days as they are here, so that a day of UTC is put at the
 * midnight
 * of the same date here: otherwise west of Greenwich each would bear the name of the day before.
 */
export function drawnAt(at: string | number, stepSeconds: number): number {
  const when = new Date(at);
  return stepSeconds * 1000 < DAY
    ? when.getTime()
    : new Date(when.getUTCFullYear(), when.getUTCMonth(), when.getUTCDate()).getTime();
}

/** Moments on the time axis: full hours of a day, days, weeks or months, as many as there is room for. */
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
  // By the calendar: days are not all 24 hours long.
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

/** The class with the colour of a series; there are eight. */
export const colour = (at: number) => `var(--chart-${(at % 8) + 1})`;

/** Which of sorted moments is nearest. */
export function nearest(moments: number[], at: number): number {
  let best = 0;
  for (const [index, moment] of moments.entries())
    if (Math.abs(moment - at) < Math.abs((moments[best] ?? 0) - at)) best = index;
  return best;
}
