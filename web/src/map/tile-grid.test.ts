import { expect, test } from 'vitest';
import { ancestor, children, levelFor, levelScale, visibleTiles } from './tile-grid';

// The grid of the built-in map of Tokyo.
const grid = { width: 4780, height: 3470, tile: 512, levels: 6, deepest: 2 };
const viewport = { width: 800, height: 600 };

test('each level has twice the scale of the one before', () => {
  expect([0, 1, 2, 3, 4, 5].map((z) => levelScale(grid, z))).toEqual([1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2]);
});

test('the first level that is sharp enough is chosen', () => {
  expect(levelFor(grid, 1 / 100)).toBe(0);
  expect(levelFor(grid, 1)).toBe(4);
  expect(levelFor(grid, 1.11)).toBe(4);
  expect(levelFor(grid, 1.12)).toBe(5);
  expect(levelFor(grid, 100)).toBe(5);
});

test('the tiles in view are those that overlap the viewport, the nearest first', () => {
  const camera = { x: 2000, y: 1500, scale: 1 };
  const tiles = visibleTiles(grid, 4, camera, viewport, { x: 400, y: 300 });
  expect(tiles[0]).toEqual({ z: 4, x: 3, y: 2, side: 512 });
  expect(tiles.map(({ x, y }) => `${x},${y}`).sort()).toEqual(['3,2', '3,3', '4,2', '4,3']);
});

test('the tiles nearest to another point come first when that point is given', () => {
  const camera = { x: 2000, y: 1500, scale: 1 };
  expect(visibleTiles(grid, 4, camera, viewport, { x: 800, y: 600 })[0]).toEqual({ z: 4, x: 4, y: 3, side: 512 });
});

test('no tile lies outside the map', () => {
  const corner = { x: 4780, y: 3470, scale: 0.5 };
  for (const { x, y } of visibleTiles(grid, 5, corner, viewport, { x: 400, y: 300 })) {
    expect(x).toBeLessThanOrEqual(18);
    expect(y).toBeLessThanOrEqual(13);
  }
  const whole = visibleTiles(grid, 5, { x: 2390, y: 1735, scale: 0.01 }, viewport, { x: 400, y: 300 });
  expect(whole).toHaveLength(19 * 14);
});

test('an ancestor shows the tile in one part of its image', () => {
  expect(ancestor(grid, { z: 5, x: 13, y: 6 }, 1)).toEqual({ z: 4, x: 6, y: 3, left: 256, top: 0, side: 256 });
  expect(ancestor(grid, { z: 5, x: 13, y: 6 }, 2)).toEqual({ z: 3, x: 3, y: 1, left: 128, top: 256, side: 128 });
});

test('the children of a tile have it as their parent', () => {
  const found = children({ z: 3, x: 3, y: 1, side: 1024 });
  expect(found.map(({ x, y }) => [x, y])).toEqual([
    [6, 2],
    [7, 2],
    [6, 3],
    [7, 3],
  ]);
  for (const child of found) {
    expect(child).toMatchObject({ z: 4, side: 512 });
    expect(ancestor(grid, child, 1)).toMatchObject({ z: 3, x: 3, y: 1 });
  }
});
