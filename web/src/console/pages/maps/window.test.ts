import { describe, expect, test } from 'vitest';
import type { MapView } from '$map/view';
import { around, dragged, handleAt, isAllowed, LONGEST_SIDE, spanned } from './window';

// A view at scale 1 with its top left corner at that of the map.
const identity = (x: number, y: number) => ({ x, y });
const view = { width: 1000, height: 800, camera: { x: 500, y: 400, scale: 1 }, toMap: identity, toScreen: identity };
const shown = { ...view, network: { width: 2000, height: 2000 } } as unknown as MapView;
const window = { x: 100, y: 100, width: 200, height: 100 };

test('sides are from 1 to 500', () => {
  expect(isAllowed(window)).toBe(true);
  expect(isAllowed({ ...window, width: 0 })).toBe(false);
  expect(isAllowed({ ...window, height: LONGEST_SIDE + 1 })).toBe(false);
});

describe('a drag', () => {
  test('spans a window in any direction, no longer than the API takes', () => {
    expect(spanned({ x: 10, y: 20 }, { x: 40, y: 60 })).toEqual({ x: 10, y: 20, width: 30, height: 40 });
    expect(spanned({ x: 40, y: 60 }, { x: 10, y: 20 })).toEqual({ x: 10, y: 20, width: 30, height: 40 });
    expect(spanned({ x: 0, y: 0 }, { x: 900, y: 0 })).toMatchObject({ width: 500, height: 1 });
    expect(spanned({ x: 900, y: 0 }, { x: 0, y: 0 })).toMatchObject({ x: 400, width: 500 });
  });

  test('moves a window or one of its sides', () => {
    expect(dragged(shown, window, 'move', { x: 5, y: -5 })).toEqual({ ...window, x: 105, y: 95 });
    expect(dragged(shown, window, 'e', { x: 50, y: 9 })).toEqual({ ...window, width: 250 });
    expect(dragged(shown, window, 'nw', { x: 10, y: 20 })).toEqual({ x: 110, y: 120, width: 190, height: 80 });
  });
});

test('a window around a position has it in its centre', () => {
  expect(around({ x: 500, y: 400 })).toEqual({ x: 350, y: 250, width: 300, height: 300 });
});

test('grips are at corners and sides; inside, the window is moved', () => {
  expect(handleAt(shown, window, { x: 102, y: 98 }, 9)).toBe('nw');
  expect(handleAt(shown, window, { x: 300, y: 150 }, 9)).toBe('e');
  expect(handleAt(shown, window, { x: 170, y: 150 }, 9)).toBe('move');
  expect(handleAt(shown, window, { x: 50, y: 50 }, 9)).toBeUndefined();
});
