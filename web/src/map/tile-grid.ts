// The tiles of a map as the server cuts them: level 0 is one tile, and each level below has twice the scale.

import { toMap, type Camera, type Point, type Size } from './camera';

export type TileGrid = Size & {
  /** Pixels of a tile's side. */
  tile: number;
  levels: number;
  /** Pixels per map unit on the last level. */
  deepest: number;
};

export type TilePosition = { z: number; x: number; y: number };
/** A tile, with the side that it has in map units. */
export type VisibleTile = TilePosition & { side: number };
/** The part of a tile's image that shows one of its descendants. */
export type TilePart = TilePosition & { left: number; top: number; side: number };

/** Pixels per map unit on a level. */
export const levelScale = (grid: TileGrid, z: number) => grid.deepest / 2 ** (grid.levels - 1 - z);

/** The first level that is sharp enough for so many pixels per map unit. A tile may be enlarged by a ninth. */
export function levelFor(grid: TileGrid, pixelsPerUnit: number): number {
  let z = 0;
  while (z < grid.levels - 1 && levelScale(grid, z) < pixelsPerUnit * 0.9) z += 1;
  return z;
}

/** The tiles of a level that are in view, those next to a point of the screen first. */
export function visibleTiles(grid: TileGrid, z: number, camera: Camera, viewport: Size, next: Point): VisibleTile[] {
  const side = grid.tile / levelScale(grid, z);
  const from = toMap(camera, viewport, { x: 0, y: 0 });
  const to = toMap(camera, viewport, { x: viewport.width, y: viewport.height });
  const centre = toMap(camera, viewport, next);
  const column = (value: number) => Math.floor(value / side);
  const last = { x: Math.ceil(grid.width / side) - 1, y: Math.ceil(grid.height / side) - 1 };
  const found: (VisibleTile & { distance: number })[] = [];
  for (let y = Math.max(0, column(from.y)); y <= Math.min(last.y, column(to.y)); y += 1) {
    for (let x = Math.max(0, column(from.x)); x <= Math.min(last.x, column(to.x)); x += 1) {
      const distance = Math.hypot((x + 0.5) * side - centre.x, (y + 0.5) * side - centre.y);
      found.push({ z, x, y, side, distance });
    }
  }
  return found.sort((one, other) => one.distance - other.distance).map(({ distance: _, ...tile }) => tile);
}

/** The tile some levels above another, and which part of its image shows that other tile. */
export function ancestor(grid: TileGrid, { z, x, y }: TilePosition, levels: number): TilePart {
  const side = grid.tile / 2 ** levels;
  const mask = 2 ** levels - 1;
  return { z: z - levels, x: x >> levels, y: y >> levels, left: (x & mask) * side, top: (y & mask) * side, side };
}

/** The four tiles of the next level that show the same part of the map. */
export function children({ z, x, y, side }: VisibleTile): VisibleTile[] {
  const offsets = [0, 1].flatMap((dy) => [0, 1].map((dx) => ({ dx, dy })));
  return offsets.map(({ dx, dy }) => ({ z: z + 1, x: x * 2 + dx, y: y * 2 + dy, side: side / 2 }));
}
