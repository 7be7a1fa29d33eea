// The data of a map: its stations and lines, and which station is where.

import { findLines, findStations, stationKeys, type StationKeys } from './search-key';
import type { TileGrid } from './tile-grid';

export type Language = 'ja' | 'en' | 'ja-en';

/** The query of an address for a map in a language. */
export const languageQuery = (language: Language) => (language === 'ja' ? '' : `?language=${language}`);

/** x, y, width and height in map units. */
export type Box = [number, number, number, number];

type StationData = {
  code: number;
  name: string;
  yomi: string;
  translation?: string;
  formerly?: string[];
  /** Its numbers on its lines: G09. */
  numbers?: string[];
  /** Latitude and longitude in WGS 84. */
  place: [number, number];
  /** The boxes of its marks, then those of its names. */
  boxes: Box[];
  /** How many of the boxes are marks. */
  marks: number;
};

type LineData = {
  code: number;
  name: string;
  translation?: string;
  color: string;
  loop: boolean;
  /** Indices of stations. */
  runs: number[][];
  /** Absent where the line goes straight from station to station. */
  paths?: [number, number][][];
};

/** The response of `/map/{id}/data.json`. */
export type MapData = TileGrid & {
  id: string;
  /** The language of the labels, which the map is laid out for. */
  language: Language;
  /** All languages that it is laid out for. */
  languages: Language[];
  name: string;
  edition: string;
  credits: string;
  /** Changes when the map changes; part of the address of a tile. */
  tag: string;
  /** The index of the station that is shown first. */
  centre: number;
  lineWidth: number;
  lines: LineData[];
  stations: StationData[];
};

export type MapLine = LineData & { stations: MapStation[] };
/** A station with the centre of its first mark, and its lines. */
export type MapStation = StationData & { x: number; y: number; lines: MapLine[] };

/** Fetches the data of a map in a language. Returns undefined if there is no such map. */
export async function load(id: string, language: Language = 'ja'): Promise<Network | undefined> {
  const response = await fetch(`/map/${id}/data.json${languageQuery(language)}`);
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`data.json: ${response.status}`);
  return new Network((await response.json()) as MapData);
}

export class Network {
  readonly id: string;
  readonly language: Language;
  readonly languages: Language[];
  readonly name: string;
  readonly edition: string;
  readonly credits: string;
  readonly tag: string;
  readonly width: number;
  readonly height: number;
  readonly centre: number;
  readonly lineWidth: number;
  readonly grid: TileGrid;
  readonly stations: MapStation[];
  readonly lines: MapLine[];
  readonly byCode: ReadonlyMap<string, MapStation>;
  readonly #keys = new Map<MapStation, StationKeys>();

  constructor(data: MapData) {
    this.id = data.id;
    this.language = data.language;
    this.languages = data.languages;
    this.name = data.name;
    this.edition = data.edition;
    this.credits = data.credits;
    this.tag = data.tag;
    this.width = data.width;
    this.height = data.height;
    this.centre = data.centre;
    this.lineWidth = data.lineWidth;
    const { width, height, tile, levels, deepest } = data;
    this.grid = { width, height, tile, levels, deepest };
    this.stations = data.stations.map((station) => {
      const [x, y, boxWidth, boxHeight] = station.boxes[0] ?? [0, 0, 0, 0];
      return { ...station, x: x + boxWidth / 2, y: y + boxHeight / 2, lines: [] };
    });
    this.lines = data.lines.map((line) => {
      const stations = [...new Set(line.runs.flat())].flatMap((index) => this.stations[index] ?? []);
      return { ...line, stations };
    });
    for (const line of this.lines) for (const station of line.stations) station.lines.push(line);
    this.byCode = new Map(this.stations.map((station) => [String(station.code), station]));
  }

  /** The station that has a box at a map position, or else the one with the nearest box within reach. */
  stationAt(x: number, y: number, reach: number): MapStation | undefined {
    let nearest: MapStation | undefined;
    let least = reach * reach;
    for (const station of this.stations) {
      for (const [left, top, width, height] of station.boxes) {
        const dx = Math.max(left - x, 0, x - left - width);
        const dy = Math.max(top - y, 0, y - top - height);
        const distance = dx * dx + dy * dy;
        if (distance < least || (distance === 0 && !nearest)) {
          least = distance;
          nearest = station;
        }
      }
      if (least === 0 && nearest) return nearest;
    }
    return nearest;
  }

  /** The stations that answer to a name, kana or code, the best first. */
  find(text: string, limit: number): MapStation[] {
    return findStations(this.stations, text, limit, (station) => {
      let keys = this.#keys.get(station);
      if (!keys) this.#keys.set(station, (keys = stationKeys(station)));
      return keys;
    });
  }

  /** The lines with a name, the best first. */
  findLines(text: string, limit: number): MapLine[] {
    return findLines(this.lines, text, limit);
  }

  /** The stations beside a station on a line, in the order of the line. */
  neighbours(station: MapStation, line: MapLine): MapStation[] {
    const index = this.stations.indexOf(station);
    const found = new Set<number>();
    for (const run of line.runs) {
      run.forEach((stop, at) => {
        if (stop !== index) return;
        const around = line.loop && run.length > 2 ? run.length : 0;
        const before = run[around ? (at + around - 1) % around : at - 1];
        const after = run[around ? (at + 1) % around : at + 1];
        for (const other of [before, after]) if (other !== undefined) found.add(other);
      });
    }
    return [...found].flatMap((other) => this.stations[other] ?? []);
  }

  /** The station nearest to a place on the earth, and its distance in metres. */
  nearest(latitude: number, longitude: number): { station: MapStation; metres: number } | undefined {
    const radians = Math.PI / 180;
    let best: { station: MapStation; metres: number } | undefined;
    for (const station of this.stations) {
      const [lat, lon] = station.place;
      const east = (lon - longitude) * radians * Math.cos(latitude * radians);
      const metres = Math.hypot((lat - latitude) * radians, east) * 6_371_000;
      if (!best || metres < best.metres) best = { station, metres };
    }
    return best;
  }

  /** The corners of a line, run by run. */
  paths(line: MapLine): [number, number][][] {
    if (line.paths?.length) return line.paths;
    return line.runs.map((run) => {
      const corners = run.flatMap((index): [number, number][] => {
        const station = this.stations[index];
        return station ? [[station.x, station.y]] : [];
      });
      const first = corners[0];
      return line.loop && first && corners.length > 2 ? [...corners, first] : corners;
    });
  }
}
