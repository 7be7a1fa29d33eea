// The arithmetic of the map view: how the camera maps the map to the screen, and where it may go. No DOM.

export type Point = { x: number; y: number };
export type Size = { width: number; height: number };
/** The map position in the centre of the viewport, and the screen pixels per map unit. */
export type Camera = Point & { scale: number };
/** How much of each edge of the viewport is covered by panels. */
export type Insets = { left: number; right: number; top: number; bottom: number };
export type Bounds = { left: number; top: number; right: number; bottom: number };

export const MAX_SCALE = 4;

/** Below this scale the names on the tiles cannot be read. */
export const FAR_SCALE = 0.4;

/** The part of the viewport that a map or a frame fills at most. */
const FILL = 0.94;

export const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), Math.max(low, high));

export function toMap(camera: Camera, viewport: Size, at: Point): Point {
  return {
    x: camera.x + (at.x - viewport.width / 2) / camera.scale,
    y: camera.y + (at.y - viewport.height / 2) / camera.scale,
  };
}

export function toScreen(camera: Camera, viewport: Size, at: Point): Point {
  return {
    x: (at.x - camera.x) * camera.scale + viewport.width / 2,
    y: (at.y - camera.y) * camera.scale + viewport.height / 2,
  };
}

/** The centre of the part of the viewport that no panel covers, in screen pixels. */
export function uncoveredCentre(viewport: Size, { left, right, top, bottom }: Insets): Point {
  return { x: (left + viewport.width - right) / 2, y: (top + viewport.height - bottom) / 2 };
}

/** The scale at which the whole map is in view. */
export const fitScale = (map: Size, viewport: Size) =>
  Math.min(viewport.width / map.width, viewport.height / map.height) * FILL;

export const clampScale = (scale: number, map: Size, viewport: Size) =>
  clamp(scale, Math.min(fitScale(map, viewport), 0.5), MAX_SCALE);

/** Keeps the centre on the map and the scale within its limits. */
export function clampCamera({ x, y, scale }: Camera, map: Size, viewport: Size): Camera {
  return { x: clamp(x, 0, map.width), y: clamp(y, 0, map.height), scale: clampScale(scale, map, viewport) };
}

/** Zooms so that what is at a point of the screen stays there. */
export function zoomAround(camera: Camera, map: Size, viewport: Size, factor: number, at: Point): Camera {
  const before = toMap(camera, viewport, at);
  const zoomed = clampCamera({ ...camera, scale: camera.scale * factor }, map, viewport);
  const after = toMap(zoomed, viewport, at);
  return clampCamera({ ...zoomed, x: zoomed.x + before.x - after.x, y: zoomed.y + before.y - after.y }, map, viewport);
}

/** The camera that shows a map position in the centre of what no panel covers. */
export function centredOn(at: Point, scale: number, viewport: Size, insets: Insets): Camera {
  const centre = uncoveredCentre(viewport, insets);
  return {
    x: at.x + (viewport.width / 2 - centre.x) / scale,
    y: at.y + (viewport.height / 2 - centre.y) / scale,
    scale,
  };
}

/** The scale at which a part of the map fills what no panel covers. It is never larger than the map is drawn. */
export function boundsScale({ left, top, right, bottom }: Bounds, viewport: Size, insets: Insets): number {
  const width = viewport.width - insets.left - insets.right;
  const height = viewport.height - insets.top - insets.bottom;
  return Math.min(Math.min(width / (right - left), height / (bottom - top)) * FILL, 1.5);
}

/** How a flight from one camera to another looks: how long it takes, and how far it zooms out on the way. */
export type Flight = { from: Camera; milliseconds: number; zoomOut: number };

export function planFlight(from: Camera, to: Camera): Flight {
  const pixels = Math.hypot(to.x - from.x, to.y - from.y) * Math.min(from.scale, to.scale);
  return {
    from,
    milliseconds: clamp(300 + pixels * 0.25, 300, 1100),
    // A long flight zooms out so far that both of its ends come into view.
    zoomOut: pixels > 900 ? Math.min(Math.log(pixels / 900), 1.2) : 0,
  };
}

/** The camera after a share of the flight's time, from 0 to 1. The destination may change during the flight. */
export function flightCamera({ from, zoomOut }: Flight, to: Camera, share: number): Camera {
  const eased = share < 0.5 ? 4 * share ** 3 : 1 - (2 - 2 * share) ** 3 / 2;
  return {
    x: from.x + (to.x - from.x) * eased,
    y: from.y + (to.y - from.y) * eased,
    scale: from.scale * (to.scale / from.scale) ** eased * Math.exp(-zoomOut * Math.sin(Math.PI * eased)),
  };
}
