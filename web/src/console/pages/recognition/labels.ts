import type { Box } from './orientation';

type Place = { x: number; y: number };
export type Label = Place & {
  width: number;
  height: number;
  text: string;
  /** Where it may be instead, if another label is in its place. */
  others: Place[];
};

const HEIGHT = 22;
const PADDING = 7;
const FONT = '600 13px system-ui, "Noto Sans", "Noto Sans JP", sans-serif';
const LONGEST = 28;
let context: CanvasRenderingContext2D | null | undefined;

function widthOf(text: string): number {
  context ??= document.createElement('canvas').getContext('2d');
  if (!context) return text.length * 9;
  context.font = FONT;
  return context.measureText(text).width;
}

/**
 * The position of the label of a box: above it, or inside if there is no room, always within the picture. In screen
 * pixels.
 */
export function labelOf(text: string, box: Box, width: number, height: number): Label {
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  const wide = Math.min(widthOf(short) + 2 * PADDING, width);
  const above = box.yMin - HEIGHT;
  const within = (x: number, y: number): Place => ({
    x: Math.max(0, Math.min(x, width - wide)),
    y: Math.max(0, Math.min(y, height - HEIGHT)),
  });
  const right = box.xMax - wide;
  const others = [
    within(right, above),
    within(box.xMin, box.yMin),
    within(box.xMin, box.yMax),
    within(right, box.yMax),
    within(box.xMin, box.yMax - HEIGHT),
    within(right, box.yMax - HEIGHT),
  ];
  return { ...within(box.xMin, above >= 0 ? above : box.yMin), width: wide, height: HEIGHT, text: short, others };
}

const collide = (a: Label, b: Label) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/**
 * The labels where they do not overlap, each in the first of its places that is free. Those without one are left out.
 * Candidates with higher scores are placed first.
 */
export function readable(labels: Label[]): Map<Label, Label> {
  const placed = new Map<Label, Label>();
  for (const label of labels) {
    const places = [label, ...label.others].map(({ x, y }) => ({ ...label, x, y }));
    const free = places.find((place) => ![...placed.values()].some((other) => collide(place, other)));
    if (free) placed.set(label, free);
  }
  return placed;
}
