import { t } from '$/lib/i18n.svelte';
import type { Candidate, Result } from './functions';
import { overlap } from './orientation';
import type { After, Explanation } from './run.svelte';

export type Push = Explanation['candidates'][number]['movedBy'][number];
/** The effect of a verdict, or of several equal ones. */
export type Voice = Push & { count: number };
/** A candidate before and after feedback. Null if it was not among the candidates. */
export type Pair = {
  key: string;
  name: string;
  /** The id before feedback. */ itemId: string | null;
  before: number | null;
  after: number | null;
  base: number | null;
  movedBy: Push[];
};

/** Smaller than the displayed precision. */
const SAME = 0.0005;
/** The boxes of an object stay in place; another object of the same category is elsewhere. */
const SAME_PLACE = 0.7;

const sameThing = (a: Candidate, b: Candidate) =>
  a.subject === b.subject && (!a.box || !b.box || a.item !== null || overlap(a.box, b.box) > SAME_PLACE);

/** Pairs the candidates of two recognitions of a picture: in the new order, followed by those that are gone. */
export function compare(before: Result, after: After): Pair[] {
  const left = [...before.candidates];
  const pairs = after.result.candidates.map((now): Pair => {
    const at = left.findIndex((one) => sameThing(one, now));
    const old = at < 0 ? null : left.splice(at, 1)[0];
    const told = after.explanation.candidates.find((one) => one.itemId === now.itemId);
    return {
      key: now.itemId,
      name: now.name,
      itemId: old?.itemId ?? null,
      before: old?.score ?? null,
      after: now.score,
      base: told?.baseScore ?? null,
      movedBy: told?.movedBy ?? [],
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
export const hasChanged = (pair: Pair) => Math.abs(difference(pair) ?? 1) >= SAME;
/** Whether feedback affects the current score. */
export const isMoved = (pair: Pair) =>
  pair.movedBy.length > 0 || (pair.base !== null && pair.after !== null && Math.abs(pair.after - pair.base) >= SAME);

/** The change of a candidate: an arrow and percentage points. */
export function changeWords(pair: Pair): { text: string; tone: 'up' | 'down' | 'same' } {
  const words = t.recognition.changed;
  const by = difference(pair);
  if (pair.before === null) return { text: words.came, tone: 'up' };
  if (by === null) return { text: words.went, tone: 'down' };
  if (!hasChanged(pair)) return { text: words.unchanged, tone: 'same' };
  const points = words.points((Math.abs(by) * 100).toFixed(1));
  return by > 0 ? { text: `▲ +${points}`, tone: 'up' } : { text: `▼ −${points}`, tone: 'down' };
}

/** Combines earlier verdicts of the same kind, to avoid repeating a sentence. */
export function voices(pushes: Push[], now: string | undefined): Voice[] {
  const all: Voice[] = [];
  for (const push of pushes) {
    const earlier = push.recognitionId != null && push.recognitionId !== now;
    const same =
      earlier &&
      all.find((one) => one.recognitionId != null && one.recognitionId !== now && one.isValid === push.isValid);
    if (same) [same.by, same.count] = [same.by + push.by, same.count + 1];
    else all.push({ ...push, count: 1 });
  }
  return all;
}
