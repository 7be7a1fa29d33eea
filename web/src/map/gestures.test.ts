import { expect, test } from 'vitest';
import { pinch, wheelFactor } from './gestures';

test('the wheel zooms in upwards and out downwards, by inverse factors', () => {
  const up = wheelFactor({ deltaY: -100, deltaMode: 0, ctrlKey: false });
  const down = wheelFactor({ deltaY: 100, deltaMode: 0, ctrlKey: false });
  expect(up).toBeCloseTo(Math.exp(0.22));
  expect(up * down).toBeCloseTo(1);
});

test('lines and pages count as more pixels, and a pinch on a touchpad more than a wheel', () => {
  const factor = (deltaMode: number, ctrlKey = false) => wheelFactor({ deltaY: -1, deltaMode, ctrlKey });
  expect(Math.log(factor(1))).toBeCloseTo(18 * Math.log(factor(0)));
  expect(factor(0, true)).toBeGreaterThan(factor(0));
});

test('one event at most doubles the scale, or halves it', () => {
  expect(wheelFactor({ deltaY: -1e6, deltaMode: 2, ctrlKey: true })).toBeCloseTo(Math.exp(0.7));
  expect(wheelFactor({ deltaY: 1e6, deltaMode: 2, ctrlKey: true })).toBeCloseTo(Math.exp(-0.7));
});

test('two fingers zoom by their distance and pan by their midpoint', () => {
  const other = { x: 0, y: 0 };
  expect(pinch({ x: 100, y: 0 }, { x: 200, y: 0 }, other)).toEqual({ dx: 50, dy: 0, factor: 2, at: { x: 100, y: 0 } });
  // Fingers that touch each other do not zoom without limit.
  expect(pinch({ x: 1, y: 0 }, { x: 20, y: 0 }, other).factor).toBe(2);
});
