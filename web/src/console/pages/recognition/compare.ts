import { t } from '$/lib/i18n.svelte';
import type { Candidate, Result } from './recognise';
import { overlap } from './orientation';
import type { Rerun, Explanation } from './recognition-run.svelte';

export type ScoreShift = Explanation['candidates'][number]['movedBy'][number];
/** The effect of a verdict, or of several equal ones. */
export type CombinedShift = ScoreShift & { count: number };
/** A candidate before and after feedback. Null if it was not among the candidates. */
export type Pair = {
  key: string;
  name: string;
  /** The id before feedback. */ itemId: string | null;
  before: number | null;
  after: number | null;
  base: number | null;
  movedBy: ScoreShift[];
};

/** Smaller than the displayed precision. */
const MIN_DIFFERENCE = 0.0005;
/** The boxes of an object stay in place; another object of the same category is elsewhere. */
const MIN_OVERLAP = 0.7;

const isSameObject = (a: Candidate, b: Candidate) =>
  a.subject === b.subject && (!a.box || !b.box || a.item !== null || overlap(a.box, b.box) > MIN_OVERLAP);

/** Pairs the candidates of two recognitions of a picture: in the new order, followed by those that are gone. */
export function compare(before: Result, after: Rerun): Pair[] {
  const left = [...before.candidates];
  const pairs = after.result.candidates.map((now): Pair => {
    const at = left.findIndex((one) => isSameObject(one, now));
    const old = at < 0 ? null : left.splice(at, 1)[0];
    const explanation = after.explanation.candidates.find((one) => one.itemId === now.itemId);
    return {
      key: now.itemId,
      name: now.name,
      itemId: old?.itemId ?? null,
      before: old?.score ?? null,
      after: now.score,
      base: explanation?.baseScore ?? null,
      movedBy: explanation?.movedBy ?? [],
    };
  });
  return [
    ...pairs,
    ...left.map((old): Pair => ({
      key: old.itemId,
      name: old.name,
      itemId: old.itemId,
      before: old.score,
      after: null,
      base: null,
      movedBy: [],
    })),
  ];
}

const difference = (pair: Pair) => (pair.before === null || pair.after === null ? null : pair.after - pair.before);
export const hasChanged = (pair: Pair) => Math.abs(difference(pair) ?? 1) >= MIN_DIFFERENCE;
/** Whether feedback affects the current score. */
export const isMoved = (pair: Pair) =>
  pair.movedBy.length > 0 ||
  (pair.base !== null && pair.after !== null && Math.abs(pair.after - pair.base) >= MIN_DIFFERENCE);

/** The change of a candidate: an arrow and percentage points. */
export function describeChange(pair: Pair): { text: string; tone: 'up' | 'down' | 'same' } {
  const words = t.recognition.changed;
  const by = difference(pair);
  if (pair.before === null) return { text: words.came, tone: 'up' };
  if (by === null) return { text: words.went, tone: 'down' };
  if (!hasChanged(pair)) return { text: words.unchanged, tone: 'same' };
  const points = words.points((Math.abs(by) * 100).toFixed(1));
  return by > 0 ? { text: `▲ +${points}`, tone: 'up' } : { text: `▼ −${points}`, tone: 'down' };
}

/** Combines earlier verdicts of the same kind, to avoid repeating a sentence. */
export function combineShifts(shifts: ScoreShift[], now: string | undefined): CombinedShift[] {
  const all: CombinedShift[] = [];
  for (const shift of shifts) {
    const earlier = shift.recognitionId != null && shift.recognitionId !== now;
    const same =
      earlier &&
      all.find((one) => one.recognitionId != null && one.recognitionId !== now && one.isValid === shift.isValid);
    if (same) [same.by, same.count] = [same.by + shift.by, same.count + 1];
    else all.push({ ...shift, count: 1 });
  }
  return all;
}
