import type { DatasetImage, Health } from './dataset-api';

export type TagResult = { tag: string; images: number; judged: number; right: number };
export type Results = {
  tags: TagResult[];
  /** The number of images of the first tag that were recognised as the second, which may be the same. */
  count: (tag: string, takenFor: string) => number;
  /** The report lists the hundred most frequent confusions. If there are more, correct counts are upper bounds. */
  complete: boolean;
};

/** The report contains confusions only. All other evaluated images of a tag were recognised correctly. */
export function resultsOf(health: Health, images: readonly DatasetImage[]): Results {
  const sizes = new Map<string, number>();
  for (const image of images) if (image.outcome === 'fetched') sizes.set(image.tag, (sizes.get(image.tag) ?? 0) + 1);
  const wrong = new Map<string, Map<string, number>>();
  let all = 0;
  for (const { tag, takenFor, images: count } of health.confusions) {
    const row = wrong.get(tag) ?? new Map<string, number>();
    row.set(takenFor, count);
    wrong.set(tag, row);
    all += count;
  }
  const tags = [...sizes].map(([tag, count]) => {
    // The only image of a tag cannot be evaluated, because the tag is unknown without it.
    const judged = count > 1 ? count : 0;
    const mistaken = [...(wrong.get(tag)?.values() ?? [])].reduce((sum, one) => sum + one, 0);
    return { tag, images: count, judged, right: Math.max(0, judged - mistaken) };
  });
  tags.sort((a, b) => a.tag.localeCompare(b.tag, undefined, { numeric: true }));
  const right = new Map(tags.map((one) => [one.tag, one.right]));
  const expected = health.leaveOneOut ? health.leaveOneOut.judged - health.leaveOneOut.right : 0;
  return {
    tags,
    count: (tag, takenFor) => (tag === takenFor ? (right.get(tag) ?? 0) : (wrong.get(tag)?.get(takenFor) ?? 0)),
    complete: all === expected,
  };
}

/** More tags cannot be told apart in the matrix. */
export const MAX_SHOWN = 60;

/** The tags of the matrix: all of them, or those confused most often, in alphabetical order. */
export function shownTags(results: Results, health: Health): TagResult[] {
  if (results.tags.length <= MAX_SHOWN) return results.tags;
  const weight = new Map<string, number>();
  for (const { tag, takenFor, images } of health.confusions)
    for (const one of [tag, takenFor]) weight.set(one, (weight.get(one) ?? 0) + images);
  const first = [...results.tags]
    .sort((a, b) => (weight.get(b.tag) ?? 0) - (weight.get(a.tag) ?? 0))
    .slice(0, MAX_SHOWN);
  const chosen = new Set(first.map((one) => one.tag));
  return results.tags.filter((one) => chosen.has(one.tag));
}

/**
 * Upper bounds of the shares with the same colour, and the opacity of each colour. Numbers are readable on all of them
 * in both themes.
 */
export const COLOUR_STEPS = [0.05, 0.1, 0.25, 0.5, 0.75, 1];
const STRENGTHS = [0.08, 0.16, 0.26, 0.38, 0.5, 1];
export const opacityOf = (share: number) =>
  share <= 0 ? 0 : (STRENGTHS[COLOUR_STEPS.findIndex((bound) => share <= bound + 1e-9)] ?? 1);

type Rgb = [number, number, number];
/** The build shortens #ffffff to #fff. */
const rgbOf = (hex: string): Rgb => {
  const digits = hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit).join('') : hex.slice(1);
  return [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16)) as Rgb;
};

/** Blends two colours into a hexadecimal colour, because saved files cannot use CSS variables. */
export function mixColours(over: string, under: string, strength: number): string {
  const [a, b] = [rgbOf(over), rgbOf(under)];
  return `#${a
    .map((part, at) =>
      Math.round(part * strength + (b[at] ?? 0) * (1 - strength))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

/** The approximate width of a text of 12 pixels. East Asian characters are twice as wide as others. */
const widthOf = (sign: string) =>
  /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]|\p{Extended_Pictographic}/u.test(sign)
    ? 12.2
    : 6.9;
export const textWidth = (text: string) => [...text].reduce((sum, sign) => sum + widthOf(sign), 0);

/** Shortens a text to a width, with an ellipsis. */
export function truncateToWidth(text: string, room: number): string {
  if (textWidth(text) <= room) return text;
  let [kept, wide] = ['', 8];
  for (const sign of text) {
    wide += widthOf(sign);
    if (wide > room) break;
    kept += sign;
  }
  return `${kept}…`;
}
