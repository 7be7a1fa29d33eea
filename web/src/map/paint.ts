// Paints a frame of the map: tiles, the highlighted line, names from far away, and the outline of a station.

import { FAR_SCALE } from './camera';
import { paintLabels } from './labels';
import type { MapLine, MapStation, Network } from './network';
import { ancestor, children, levelFor, visibleTiles, type VisibleTile } from './tile-grid';
import { tileKey, type TileLoader } from './tile-loader';
import type { MapView } from './view';
import type { Way } from './way';

const FADE_MILLISECONDS = 140;
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

type Frame = { view: MapView; network: Network; tiles: TileLoader; visible: VisibleTile[]; now: number; paper: string };

/** Paints a frame and returns whether a tile is still fading in. */
export function paint(view: MapView, network: Network, tiles: TileLoader): boolean {
  const { context, camera, canvas } = view;
  const css = getComputedStyle(canvas);
  const color = (name: string) => css.getPropertyValue(name).trim();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = color('--table');
  context.fillRect(0, 0, canvas.width, canvas.height);
  const paper = color('--sheet');
  const z = levelFor(network.grid, camera.scale * view.pixelRatio);
  const visible = visibleTiles(network.grid, z, camera, view, view.centre);
  const frame: Frame = { view, network, tiles, visible, now: performance.now(), paper };
  paintPaper(frame);
  tiles.want(visible.map((tile) => tileKey(view.style, tile)));
  const isFading = paintTiles(frame);
  if (view.way) paintWay(frame, view.way);
  else if (view.line) paintLine(frame, view.line);
  paintLabels(view, network, { paper, ink: color('--ink'), font: color('--font') });
  if (view.station) paintStation(frame, view.station, color('--accent'));
  return isFading;
}

/** A map position in whole canvas pixels, so that tiles meet without a seam. */
function toCanvas(view: MapView, x: number, y: number): [number, number] {
  const at = view.toScreen(x, y);
  return [Math.round(at.x * view.pixelRatio), Math.round(at.y * view.pixelRatio)];
}

/** A rectangle of the map in whole canvas pixels: left, top, width and height. */
function canvasRect(view: MapView, x: number, y: number, width: number, height: number) {
  const [left, top] = toCanvas(view, x, y);
  const [right, bottom] = toCanvas(view, x + width, y + height);
  return [left, top, right - left, bottom - top] as const;
}

function paintPaper({ view, network, paper }: Frame): void {
  view.context.fillStyle = paper;
  view.context.fillRect(...canvasRect(view, 0, 0, network.width, network.height));
}

function paintTiles(frame: Frame): boolean {
  const { view, network, tiles, visible, now } = frame;
  const { context } = view;
  let isFading = false;
  context.save();
  context.beginPath();
  context.rect(...canvasRect(view, 0, 0, network.width, network.height));
  context.clip();
  context.imageSmoothingQuality = 'high';
  for (const position of visible) {
    const tile = tiles.get(tileKey(view.style, position));
    const age = tile ? now - tile.since : 0;
    const isNew = tile !== undefined && age < FADE_MILLISECONDS && !reducedMotion.matches;
    if (!tile || isNew) paintSubstitute(frame, position);
    if (!tile) continue;
    context.globalAlpha = isNew ? Math.max(age / FADE_MILLISECONDS, 0.05) : 1;
    paintImage(view, tile.image, { left: 0, top: 0, side: network.grid.tile }, position);
    context.globalAlpha = 1;
    isFading ||= isNew;
  }
  context.restore();
  return isFading;
}

/**
 * Stands in for a tile that is not loaded: a part of the nearest loaded tile above it, and the loaded tiles below it.
 */
function paintSubstitute({ view, network, tiles }: Frame, position: VisibleTile): void {
  for (let levels = 1; levels <= position.z; levels += 1) {
    const part = ancestor(network.grid, position, levels);
    const tile = tiles.get(tileKey(view.style, part));
    if (!tile) continue;
    paintImage(view, tile.image, part, position);
    break;
  }
  if (position.z + 1 >= network.grid.levels) return;
  for (const child of children(position)) {
    const tile = tiles.get(tileKey(view.style, child));
    if (tile) paintImage(view, tile.image, { left: 0, top: 0, side: network.grid.tile }, child);
  }
}

type Square = { left: number; top: number; side: number };

function paintImage(view: MapView, image: ImageBitmap, from: Square, { x, y, side }: VisibleTile): void {
  const to = canvasRect(view, x * side, y * side, side, side);
  view.context.drawImage(image, from.left, from.top, from.side, from.side, ...to);
}

/** Fades everything but one line. */
function paintLine(frame: Frame, line: MapLine): void {
  const parts = frame.network.paths(line).map((points) => ({ color: line.color, walk: false, points }));
  paintParts(frame, parts, line.stations);
}

/** Fades everything but one way. */
function paintWay(frame: Frame, { parts, stations }: Way): void {
  paintParts(frame, parts, stations);
}

function paintParts(frame: Frame, parts: Way['parts'], stations: MapStation[]): void {
  const { view, network } = frame;
  const { context, camera, pixelRatio } = view;
  const width = Math.max(network.lineWidth * 1.4 * camera.scale, 3) * pixelRatio;
  context.save();
  context.globalAlpha = 0.78;
  paintPaper(frame);
  context.globalAlpha = 1;
  context.lineJoin = context.lineCap = 'round';
  for (const { color, walk, points } of parts) {
    context.strokeStyle = color;
    context.lineWidth = walk ? width / 2 : width;
    context.setLineDash(walk ? [0.1, width * 1.2] : []);
    context.beginPath();
    for (const [x, y] of points) {
      const at = view.toScreen(x, y);
      context.lineTo(at.x * pixelRatio, at.y * pixelRatio);
    }
    context.stroke();
  }
  // The tiles show its stations: their marks, and their names where they can be read.
  context.setLineDash([]);
  context.beginPath();
  for (const { boxes, marks } of stations) {
    for (const [x, y, width, height] of camera.scale < FAR_SCALE ? boxes.slice(0, marks) : boxes) {
      context.rect(...canvasRect(view, x - 1, y - 1, width + 2, height + 2));
    }
  }
  context.clip();
  paintTiles(frame);
  context.restore();
}

/** Draws one outline around all boxes of a station, also where they touch each other. */
function paintStation(frame: Frame, { boxes, marks }: MapStation, accent: string): void {
  const { view } = frame;
  const { context, camera, pixelRatio } = view;
  const outline = new Path2D();
  boxes.forEach(([x, y, width, height], index) => {
    const isMark = index < marks;
    const margin = isMark ? Math.max(4, 3 * camera.scale) : 3;
    const from = view.toScreen(x, y);
    const boxWidth = (width * camera.scale + 2 * margin) * pixelRatio;
    const boxHeight = (height * camera.scale + 2 * margin) * pixelRatio;
    const radius = isMark ? Math.min(boxWidth, boxHeight) / 2 : 5 * pixelRatio;
    outline.roundRect((from.x - margin) * pixelRatio, (from.y - margin) * pixelRatio, boxWidth, boxHeight, radius);
  });
  context.save();
  context.lineWidth = 6 * pixelRatio;
  context.lineJoin = 'round';
  context.strokeStyle = accent;
  context.stroke(outline);
  context.clip(outline);
  paintTiles(frame);
  context.restore();
}
