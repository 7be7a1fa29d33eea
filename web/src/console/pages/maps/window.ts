import type { MapView } from '$map/view';

/** A rectangle of a map in map units. The API accepts sides from 1 to 500. */
export type MapWindow = { x: number; y: number; width: number; height: number };
export const LONGEST_SIDE = 500;

type Place = { x: number; y: number };
/** The part of a window that is dragged: edges by compass letters, or all of it. */
export type Handle = 'n' | 'e' | 's' | 'w' | 'nw' | 'ne' | 'se' | 'sw' | 'move';

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
export const isAllowed = ({ width, height }: MapWindow) =>
  [width, height].every((side) => side >= 1 && side <= LONGEST_SIDE);

/** The screen positions of the handles. */
export function handlesOf(view: MapView, { x, y, width, height }: MapWindow): [Exclude<Handle, 'move'>, Place][] {
  const from = view.toScreen(x, y);
  const to = view.toScreen(x + width, y + height);
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  const corners: [Exclude<Handle, 'move'>, Place][] = [
    ['nw', from],
    ['ne', { x: to.x, y: from.y }],
    ['se', to],
    ['sw', { x: from.x, y: to.y }],
  ];
  // Small windows only have handles at their corners.
  const sides: [Exclude<Handle, 'move'>, Place][] = [];
  if (to.x - from.x > 60) sides.push(['n', { x: middle.x, y: from.y }], ['s', { x: middle.x, y: to.y }]);
  if (to.y - from.y > 60) sides.push(['w', { x: from.x, y: middle.y }], ['e', { x: to.x, y: middle.y }]);
  return [...corners, ...sides];
}

/** The part of the window at a screen position. */
export function handleAt(view: MapView, window: MapWindow, place: Place, reach: number): Handle | undefined {
  let nearest: Handle | undefined;
  let least = reach;
  for (const [handle, at] of handlesOf(view, window)) {
    const away = Math.hypot(at.x - place.x, at.y - place.y);
    if (away <= least) [nearest, least] = [handle, away];
  }
  if (nearest) return nearest;
  const { x, y } = view.toMap(place.x, place.y);
  const isInside = x >= window.x && y >= window.y && x <= window.x + window.width && y <= window.y + window.height;
  return isInside && !fills(view, window) ? 'move' : undefined;
}

/** Whether the window covers so much of the view that dragging inside it should move the map. */
function fills(view: MapView, window: MapWindow): boolean {
  const from = view.toScreen(window.x, window.y);
  const to = view.toScreen(window.x + window.width, window.y + window.height);
  const seen =
    (clamp(to.x, 0, view.width) - clamp(from.x, 0, view.width)) *
    (clamp(to.y, 0, view.height) - clamp(from.y, 0, view.height));
  return seen > view.width * view.height * 0.8;
}

/** The window after dragging a handle, in map units. */
export function dragged(view: MapView, window: MapWindow, handle: Handle, by: Place): MapWindow {
  const { width: mapWidth = 0, height: mapHeight = 0 } = view.network ?? {};
  const moved = (at: number, length: number, distance: number, size: number) =>
    clamp(Math.round(at + distance), 1 - length, size - 1);
  if (handle === 'move')
    return {
      ...window,
      x: moved(window.x, window.width, by.x, mapWidth),
      y: moved(window.y, window.height, by.y, mapHeight),
    };
  const [x, width] = stretched(window.x, window.width, handle.includes('w'), handle.includes('e'), by.x);
  const [y, height] = stretched(window.y, window.height, handle.includes('n'), handle.includes('s'), by.y);
  return { x, y, width, height };
}

/** One dimension of a window whose start or end is dragged, within the limits of the API. */
function stretched(start: number, length: number, atStart: boolean, atEnd: boolean, by: number): [number, number] {
  if (atEnd) return [start, clamp(Math.round(length + by), 1, LONGEST_SIDE)];
  if (!atStart) return [start, length];
  const side = clamp(Math.round(length - by), 1, LONGEST_SIDE);
  return [start + length - side, side];
}

/** The window between the start and the current position of a drag, within the limits of the API. */
export function spanned(from: Place, to: Place): MapWindow {
  const side = (a: number, b: number): [number, number] => {
    const length = clamp(Math.round(Math.abs(b - a)), 1, LONGEST_SIDE);
    return [Math.round(a) - (b < a ? length : 0), length];
  };
  const [x, width] = side(from.x, to.x);
  const [y, height] = side(from.y, to.y);
  return { x, y, width, height };
}

/** A window around a position. */
export function around({ x, y }: Place, width = 300, height = width): MapWindow {
  return { x: Math.round(x - width / 2), y: Math.round(y - height / 2), width, height };
}

export const CURSORS: Record<Handle, string> = {
  n: 'ns-resize',
  s: 'ns-resize',
  e: 'ew-resize',
  w: 'ew-resize',
  nw: 'nwse-resize',
  se: 'nwse-resize',
  ne: 'nesw-resize',
  sw: 'nesw-resize',
  move: 'move',
};
