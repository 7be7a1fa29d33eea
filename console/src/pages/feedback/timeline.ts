import type { Timeline } from '$/lib/console';
import { t } from '$/lib/i18n.svelte';

export const PERIODS = [7, 30, 90, 365] as const;
/** As many lines as there are colours. */
const MOST_LINES = 8;

export type Line = { name: string; model: string; verdicts: number; points: { at: number; all: number; value: number | null; note: string }[] };
export type Drawn = { lines: Line[]; left: number; bars: { at: number; values: number[] }[] };

/** What a task is called; one of a newer server goes by its own word. */
export const taskName = (task: string): string => (t.feedback.tasks as Record<string, string>)[task] ?? task;
export const modelName = (task: string, model: string): string => (model === '' ? taskName(task) : `${taskName(task)}: ${model}`);

/** The lines and bars of a timeline. The server tells only steps with verdicts; the others are gaps here and not zeros. */
export function drawn(timeline: Timeline, model: string): Drawn {
  const step = timeline.stepSeconds * 1000;
  const from = Date.parse(timeline.from);
  const steps = Array.from({ length: Math.max(0, Math.round((Date.parse(timeline.to) - from) / step)) }, (_, at) => from + at * step);
  const lines = timeline.series
    .filter((series) => model === '' || series.model === model)
    .map((series) => {
      const known = new Map(series.points.map((point) => [Date.parse(point.at), point]));
      const points = steps.map((at) => {
        const { valid = 0, invalid = 0 } = known.get(at) ?? {};
        const all = valid + invalid;
        return { at, all, value: all === 0 ? null : valid / all, note: t.feedback.precision.of(valid, all) };
      });
      return { name: modelName(series.task, series.model), model: series.model, verdicts: points.reduce((sum, point) => sum + point.all, 0), points };
    })
    .filter((line) => line.verdicts > 0)
    .sort((a, b) => b.verdicts - a.verdicts);
  const kept = lines.slice(0, MOST_LINES);
  const bars = steps.map((at, index) => ({ at, values: kept.map((line) => line.points[index]?.all ?? 0) })).filter((bar) => bar.values.some((amount) => amount > 0));
  return { lines: kept, left: lines.length, bars };
}
