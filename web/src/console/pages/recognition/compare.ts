import { t } from '$/lib/i18n.svelte';
import type { Candidate, Result } from './functions';
import { overlap } from './orientation';
import type { After, Explanation } from './run.svelte';

export type Push = Explanation['candidates'][number]['movedBy'][number];
/** What one verdict did, or several that say the same. */
export type Voice = Push & { count: number };
/** A candidate before and after; null where it was not among the candidates. */
export type Pair = {
  key: string;
  name: string;
  /** Its id before. */ itemId: string | null;
  before: number | null;
  after: number | null;
  base: number | null;
  movedBy: Push[];
};

/** Less than what is shown. */
const SAME = 0.0005;
/** Boxes of one thing stay where they are; another thing of the same kind lies elsewhere. */
const SAME_PLACE = 0.7;

const sameThing = (a: Candidate, b: Candidate) =>
  a.subject === b.subject && (!a.box || !b.box || a.item !== null || overlap(a.box, b.box) > SAME_PLACE);

/** The candidates of two recognitions of one picture side by side: in the new order, then those that are gone. */
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
/** Whether feedback has a hand in the score as it is now. */
export const isMoved = (pair: Pair) =>
  pair.movedBy.length > 0 || (pair.base !== null && pair.after !== null && Math.abs(pair.after - pair.base) >= SAME);

/** What became of a candidate, in short: an arrow and percentage points. */
export function changeWords(pair: Pair): { text: string; tone: 'up' | 'down' | 'same' } {
  const words = t.recognition.changed;
  const by = difference(pair);
  if (pair.before === null) return { text: words.came, tone: 'up' };
  if (by === null) return { text: words.went, tone: 'down' };
  if (!hasChanged(pair)) return { text: words.unchanged, tone: 'same' };
  const points = words.points((Math.abs(by) * 100).toFixed(1));
  return by > 0 ? { text: `▲ +${points}`, tone: 'up' } : { text: `▼ −${points}`, tone: 'down' };
}

/** Earlier verdicts that say the same speak as one: nobody reads the same sentence ten times. */
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
