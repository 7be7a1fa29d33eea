import { drawnAt } from '$/lib/chart';
import type { Timeline } from '$/lib/console';
import { t } from '$/lib/i18n.svelte';

export const PERIODS = [7, 30, 90, 365] as const;
/** The number of chart colours. */
const MAX_LINES = 8;

export type Line = {
  name: string;
  model: string;
  verdicts: number;
  right: number;
  points: { at: number; all: number; value: number | null; note: string }[];
};
export type ChartData = {
  from: number;
  to: number;
  stepSeconds: number;
  lines: Line[];
  all: number;
  bars: { at: number; values: number[] }[];
};
export type Step = 'day' | 'week';
const DAY = 86_400_000;

/** Daily values over long periods are noisy, so long periods default to weeks. */
export const defaultStep = (days: number): Step => (days > 30 ? 'week' : 'day');

/** The name of a task. Unknown tasks of newer servers are shown by their identifier. */
export const taskName = (task: string): string => (t.feedback.tasks as Record<string, string>)[task] ?? task;
export const modelName = (task: string, model: string): string =>
  model === '' ? taskName(task) : `${taskName(task)}: ${model}`;

/** The lines and bars of a timeline. The server omits steps without verdicts; they are gaps here, not zeros. */
export function chartData(timeline: Timeline, model: string, wanted: Step): ChartData {
  const serverStep = timeline.stepSeconds * 1000;
  const step = wanted === 'week' ? Math.max(serverStep, 7 * DAY) : serverStep;
  const to = Date.parse(timeline.to);
  const count = Math.ceil((to - Date.parse(timeline.from)) / step);
  // Counted from the end, so that the latest step is complete.
  const from = to - count * step;
  const drawnStep = (at: number) => drawnAt(from + at * step, step / 1000);
  const lines = timeline.series
    .filter((series) => model === '' || series.model === model)
    .map((series) => {
      const sums = Array.from({ length: count }, () => ({ valid: 0, all: 0 }));
      for (const point of series.points) {
        const sum = sums[Math.floor((Date.parse(point.at) - from) / step)];
        if (!sum) continue;
        sum.valid += point.valid;
        sum.all += point.valid + point.invalid;
      }
      const points = sums.map(({ valid, all }, at) => ({
        at: drawnStep(at),
        all,
        value: all === 0 ? null : valid / all,
        note: t.feedback.precision.of(valid, all),
      }));
      return {
        name: modelName(series.task, series.model),
        model: series.model,
        verdicts: sums.reduce((sum, one) => sum + one.all, 0),
        right: sums.reduce((sum, one) => sum + one.valid, 0),
        points,
      };
    })
    .filter((line) => line.verdicts > 0)
    .sort((a, b) => b.verdicts - a.verdicts);
  const shown = lines.slice(0, MAX_LINES);
  const bars = Array.from({ length: count }, (_, at) => ({
    at: drawnStep(at),
    values: shown.map((line) => line.points[at]?.all ?? 0),
  })).filter((bar) => bar.values.some((amount) => amount > 0));
  return { from: drawnStep(0), to: drawnStep(count), stepSeconds: step / 1000, lines: shown, all: lines.length, bars };
}
