import { shaped } from './shape.js';
import { type Answer, jsonOf, Malformed } from './transport.js';
import type { Course, GeoPoint, ListedMap, Mark, PictureFile, Point, RailMap, StationPage } from './types/maps.js';
import type { Classification, TagCandidate } from './types/recognition.js';

// The route map wire has strings for all values.
type Wire = Record<string, unknown>;

function field(wire: unknown, name: string): unknown {
  const value = typeof wire === 'object' && wire !== null ? (wire as Wire)[name] : undefined;
  if (value === undefined) throw new Malformed(`${name} is missing`);
  return value;
}

function array(wire: unknown, name: string): unknown[] {
  const value = field(wire, name);
  if (!Array.isArray(value)) throw new Malformed(`${name} is not an array`);
  return value as unknown[];
}

function text(wire: unknown, name: string): string {
  const value = field(wire, name);
  if (typeof value !== 'string') throw new Malformed(`${name} is not a string`);
  return value;
}

function number(wire: unknown, name: string): number {
  const value = text(wire, name);
  if (value.trim() === '' || Number.isNaN(Number(value))) throw new Malformed(`${name} is not a number`);
  return Number(value);
}

/** The numbers of those names that are there. */
function numbers<K extends string>(wire: unknown, names: Record<K, string>): Partial<Record<K, number>> {
  const found: Partial<Record<K, number>> = {};
  for (const [ours, theirs] of Object.entries(names) as [K, string][]) {
    if (theirs in (wire as Wire)) found[ours] = number(wire, theirs);
  }
  return found;
}

function markOf(wire: unknown): Mark {
  return {
    shape: text(wire, 'shape'),
    x: number(wire, 'x'),
    y: number(wire, 'y'),
    ...numbers(wire, { width: 'width', height: 'height', r: 'r' }),
    chamfering: text(wire, 'chamfering') === 'true',
    isText: text(wire, 'isText') === 'true',
  };
}

function placeOf(geo: unknown): GeoPoint {
  return { latitude: number(geo, 'lati_d'), longitude: number(geo, 'longi_d'), gcs: text(geo, 'gcs') };
}

function pointOf(wire: unknown): Point {
  const station = field(wire, 'Station');
  const prefecture = field(wire, 'Prefecture');
  const point: Point = {
    code: number(station, 'code'),
    name: text(station, 'Name'),
    yomi: text(station, 'Yomi'),
    type: text(station, 'Type'),
    geoPoint: placeOf(field(wire, 'GeoPoint')),
    ...numbers(wire, { distance: 'Distance' }),
  };
  if (text(prefecture, 'code') !== '') {
    point.prefecture = { code: number(prefecture, 'code'), name: text(prefecture, 'Name') };
  }
  if ('MarkCoordinates' in (wire as Wire)) point.marks = array(wire, 'MarkCoordinates').map(markOf);
  if ('RailMap' in (wire as Wire)) point.maps = array(wire, 'RailMap').map((map) => text(map, 'id'));
  return point;
}

function pointsOf(wire: unknown, name = 'Point'): Point[] {
  return array(wire, name).map(pointOf);
}

/** @internal */
export function mapsOf(answer: Answer): ListedMap[] {
  return array(field(jsonOf(answer), 'ResultSet'), 'RailMap').map((map) => ({
    id: text(map, 'id'),
    name: text(map, 'Name'),
    width: number(map, 'width'),
    height: number(map, 'height'),
    points: pointsOf(map),
  }));
}

/** @internal */
export function mapOf(answer: Answer): RailMap {
  const map = field(field(jsonOf(answer), 'ResultSet'), 'RailMap');
  return {
    id: text(map, 'id'),
    x: number(map, 'x'),
    y: number(map, 'y'),
    width: number(map, 'width'),
    height: number(map, 'height'),
    points: pointsOf(map),
  };
}

/** @internal */
export function stationsOf(answer: Answer): StationPage {
  const result = field(jsonOf(answer), 'ResultSet');
  return { max: number(result, 'max'), offset: number(result, 'offset'), points: pointsOf(result) };
}

/** @internal */
export function coursesOf(answer: Answer): Course[] {
  return array(field(jsonOf(answer), 'ResultSet'), 'Course').map((course) => courseOf(field(course, 'Route')));
}

function courseOf(route: unknown): Course {
  return {
    timeOnBoard: number(route, 'timeOnBoard'),
    timeWalk: number(route, 'timeWalk'),
    timeOther: number(route, 'timeOther'),
    transferCount: number(route, 'transferCount'),
    distance: number(route, 'distance'),
    points: pointsOf(route),
    lines: array(route, 'Line').map((line) => ({
      name: text(line, 'Name'),
      type: text(line, 'Type'),
      color: text(line, 'Color'),
      timeOnBoard: number(line, 'timeOnBoard'),
      stopStationCount: number(line, 'stopStationCount'),
      distance: number(line, 'distance'),
      stops: pointsOf(line, 'Stop'),
    })),
  };
}

const classified = shaped<{ candidates: (TagCandidate & { GeoPoint?: unknown })[] } & Classification>({
  recognitionId: 'string',
  jobId: 'string',
  candidates: [{ tag: 'string', score: 'number', itemId: 'string' }],
});

/** @internal The only answer of the recognition with places in it, which are strings on the wire. */
export function classificationOf(answer: Answer): Classification {
  const { candidates, ...rest } = classified(answer);
  const read = ({ GeoPoint: place, ...candidate }: (typeof candidates)[number]): TagCandidate =>
    place ? { ...candidate, geoPoint: placeOf(place) } : candidate;
  return { ...rest, candidates: candidates.map(read) };
}

/** @internal */
export function fileOf({ headers, content }: Answer): PictureFile {
  const contentType = headers.get('Content-Type') ?? 'application/octet-stream';
  const etag = headers.get('ETag');
  const file = { content: new Blob([content], { type: contentType }), contentType };
  return etag === null ? file : { ...file, etag };
}
