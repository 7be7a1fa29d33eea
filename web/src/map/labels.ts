// Names over the map when it is seen from so far away that those on its tiles cannot be read.

import { displayName } from '../shared/display-name';
import { FAR_SCALE, type Bounds, type Point, type Size } from './camera';
import type { MapStation, Network } from './network';
import type { MapView } from './view';

/** Screen pixels per name, so that names do not fill the screen. */
const AREA_PER_LABEL = 16000;
/** A large map has thousands of stations in view, and each attempt to place a name costs time in every frame. */
const MAX_ATTEMPTS = 400;

export const overlaps = (one: Bounds, other: Bounds) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/**
 * The box of a name of some width beside a station: right, left, above or below it, where no other name is and the
 * viewport does not end. Undefined if there is no such place.
 */
export function labelBox(at: Point, width: number, viewport: Size, taken: Bounds[]): Bounds | undefined {
  const corners = [
    [at.x + 7, at.y - 8],
    [at.x - 7 - width, at.y - 8],
    [at.x - width / 2, at.y - 23],
    [at.x - width / 2, at.y + 7],
  ] as const;
  return corners
    .map(([left, top]) => ({ left: left - 3, top, right: left + width + 3, bottom: top + 16 }))
    .find((box) => box.left >= 0 && box.right <= viewport.width && !taken.some((other) => overlaps(box, other)));
}

/** A hash of a station's code. It has nothing to do with its position, so equal stations are named all over the map. */
const shuffled = ({ code }: MapStation) => Math.imul(code, 2654435761) >>> 0;

const ranked = new WeakMap<Network, MapStation[]>();

/** The stations of a map, those with most lines first. */
export function byImportance(network: Network): MapStation[] {
  let stations = ranked.get(network);
  if (!stations) {
    stations = [...network.stations].sort(
      (one, other) => other.lines.length - one.lines.length || shuffled(one) - shuffled(other),
    );
    ranked.set(network, stations);
  }
  return stations;
}

type Colors = { paper: string; ink: string; font: string };

/** Writes as many names as fit: those of the highlighted line's stations, or of the stations with most lines. */
export function paintLabels(view: MapView, network: Network, { paper, ink, font }: Colors): void {
  const { context, pixelRatio, camera } = view;
  const highlighted = view.way?.stations ?? view.line?.stations;
  if (camera.scale >= FAR_SCALE) return;
  const limit = highlighted ? Infinity : (view.width * view.height) / AREA_PER_LABEL;
  const taken: Bounds[] = [];
  let attempts = MAX_ATTEMPTS;
  context.save();
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.font = `600 12px ${font}`;
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = 4;
  context.strokeStyle = paper;
  context.fillStyle = ink;
  for (const station of highlighted ?? byImportance(network)) {
    if (taken.length >= limit || attempts === 0) break;
    const at = view.toScreen(station.x, station.y);
    if (at.x < 0 || at.y < 0 || at.x > view.width || at.y > view.height) continue;
    attempts -= 1;
    const text = displayName(station, network.language === 'en' ? false : view.inJapanese);
    const box = labelBox(at, context.measureText(text).width, view, taken);
    if (!box) continue;
    taken.push(box);
    context.strokeText(text, box.left + 3, box.top + 8);
    context.fillText(text, box.left + 3, box.top + 8);
  }
  context.restore();
}
