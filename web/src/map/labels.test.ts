import { expect, test } from 'vitest';
import { labelBox, overlaps } from './labels';

const viewport = { width: 400, height: 300 };
const at = { x: 200, y: 150 };

test('boxes that only touch do not overlap', () => {
  const box = { left: 0, top: 0, right: 10, bottom: 10 };
  expect(overlaps(box, { left: 9, top: 9, right: 20, bottom: 20 })).toBe(true);
  expect(overlaps(box, { left: 10, top: 0, right: 20, bottom: 10 })).toBe(false);
  expect(overlaps(box, { left: 0, top: 10, right: 10, bottom: 20 })).toBe(false);
});

test('a name goes right of its station, then left, above and below, and is left out when all are taken', () => {
  const right = { left: 250, top: 140, right: 260, bottom: 160 };
  const left = { left: 145, top: 140, right: 150, bottom: 160 };
  const above = { left: 200, top: 127, right: 201, bottom: 130 };
  const below = { left: 200, top: 160, right: 201, bottom: 165 };
  const box = (...taken: (typeof right)[]) => labelBox(at, 50, viewport, taken);
  expect(box()).toEqual({ left: 204, top: 142, right: 260, bottom: 158 });
  expect(box(right)?.right).toBe(196);
  expect(box(right, left)?.bottom).toBe(143);
  expect(box(right, left, above)?.top).toBe(157);
  expect(box(right, left, above, below)).toBeUndefined();
});

test('a name does not leave the viewport at its sides', () => {
  expect(labelBox({ x: 390, y: 150 }, 50, viewport, [])?.right).toBeLessThanOrEqual(400);
  expect(labelBox({ x: 10, y: 150 }, 500, viewport, [])).toBeUndefined();
});
