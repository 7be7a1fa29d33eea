import type { Box } from './orientation';

export type Label = { x: number; y: number; width: number; height: number; text: string };

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
  return {
    x: Math.max(0, Math.min(box.xMin, width - wide)),
    y: Math.max(0, Math.min(above >= 0 ? above : box.yMin, height - HEIGHT)),
    width: wide,
    height: HEIGHT,
    text: short,
  };
}

const collide = (a: Label, b: Label) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** The labels that do not overlap. Candidates with higher scores are placed first. */
export function readable(labels: Label[]): Set<Label> {
  const placed: Label[] = [];
  for (const label of labels) if (!placed.some((other) => collide(label, other))) placed.push(label);
  return new Set(placed);
}
