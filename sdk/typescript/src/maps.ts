import type { CallOptions, Gcs } from './settings.js';
import type { Answer, Transport } from './transport.js';
import type { Course, ListedMap, PictureFile, Point, RailMap, StationPage } from './types/maps.js';
import { coursesOf, fileOf, mapOf, mapsOf, stationsOf } from './wire.js';

/** A rectangle of a map; `width` and `height` are 1 to 500 and need each other. */
export interface Window {
  x?: number;
  y?: number;
  width?: number;
  height?: number;
}

/** The language of the names of stations. */
export type MapLanguage = 'ja' | 'en' | 'ja-en';

/** What stations are looked for by. */
export interface StationQuery {
  /** The one of this code. */
  code?: number;
  /** The beginning of a name in kanji, kana or romaji, or of a former name, or a part of a line's name. */
  name?: string;
  /** JIS X 0401; 13 is Tokyo. */
  prefectureCode?: number;
  /** train, plane, ship, bus, walk or strange. */
  type?: string;
  /** Only those on this map. */
  id?: string;
  /** At most so many, 1 to 100. */
  limit?: number;
  /** The number of the first one, counted from 1. */
  offset?: number;
  gcs?: Gcs;
  language?: MapLanguage;
}

/**
 * Route maps, stations and ways between them. Coordinates are in WGS 84, the system of satellite navigation, unless
 * `gcs` or the client says "tokyo".
 */
export class Maps {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** The maps: all, one by its id, or those that hold a station. The three parameters exclude each other. */
  railmapList(
    query: { id?: string; stationCode?: number; stationName?: string; gcs?: Gcs; language?: MapLanguage } = {},
    options?: CallOptions,
  ): Promise<ListedMap[]> {
    return this.get('railmapList', { ...this.gcs(), ...query }, mapsOf, options);
  }

  /** The stations in a window of a map, or one by its code or name. Store the code: stations are renamed. */
  railmapDetail(
    query: Window & {
      id: string;
      stationCode?: number;
      stationName?: string;
      gcs?: Gcs;
      language?: MapLanguage;
    },
    options?: CallOptions,
  ): Promise<RailMap> {
    return this.get('railmapDetail', { ...this.gcs(), ...query }, mapOf, options);
  }

  /**
   * The picture of a window of a map. `course` are the codes of the stations of a way: everything else is dimmed.
   * `text` writes the letters of an svg as text, which can be searched and copied, instead of outlines.
   */
  railmapData(
    query: Window & {
      id: string;
      format?: 'png' | 'svg' | 'pdf';
      scale?: number;
      style?: 'light' | 'dark';
      language?: MapLanguage;
      course?: number[];
      text?: boolean;
    },
    options?: CallOptions,
  ): Promise<PictureFile> {
    const course = query.course?.length ? query.course.join(',') : undefined;
    return this.get('railmapData', { ...query, course }, fileOf, options);
  }

  /** Stations of all maps; with `name`, the best first. */
  stations(query: StationQuery = {}, options?: CallOptions): Promise<StationPage> {
    return this.get('station', { ...this.gcs(), ...query }, stationsOf, options);
  }

  /** All stations that `stations` finds, read page after page of `limit`. */
  async *eachStation(query: StationQuery = {}, options?: CallOptions): AsyncGenerator<Point, void, undefined> {
    let offset = query.offset ?? 1;
    for (;;) {
      const page = await this.stations({ ...query, offset }, options);
      yield* page.points;
      offset += page.points.length;
      if (page.points.length === 0 || offset > page.max) return;
    }
  }

  /** The stations around a place, the nearest first. `radius` is in metres, 1 to 50,000; 1,000 if left out. */
  stationNear(
    query: {
      latitude: number;
      longitude: number;
      radius?: number;
      limit?: number;
      gcs?: Gcs;
      language?: MapLanguage;
    },
    options?: CallOptions,
  ): Promise<StationPage> {
    const { latitude, longitude, ...rest } = query;
    const place = { lati_d: latitude.toFixed(9), longi_d: longitude.toFixed(9) };
    return this.get('stationNear', { ...this.gcs(), ...place, ...rest }, stationsOf, options);
  }

  /**
   * Ways from one station to another, the best first. Stations are codes or names; `via` are up to three between.
   * Times are those of a typical weekday.
   */
  searchCourse(
    query: {
      from: string | number;
      to: string | number;
      via?: (string | number)[];
      id?: string;
      sort?: 'time' | 'transfer';
      answerCount?: number;
      gcs?: Gcs;
      language?: MapLanguage;
    },
    options?: CallOptions,
  ): Promise<Course[]> {
    const via = query.via?.length ? query.via.join(',') : undefined;
    return this.get('searchCourse', { ...this.gcs(), ...query, via }, coursesOf, options);
  }

  private get<T>(
    operation: string,
    query: Record<string, string | number | boolean | undefined>,
    read: (answer: Answer) => T,
    options?: CallOptions,
  ): Promise<T> {
    const path = `/${this.transport.settings.routeService}/v1/${operation}`;
    return this.transport.send({ method: 'GET', path, query, read, repeatable: true }, options);
  }

  // The default of the wire is the old Tokyo datum, in which a place from a phone is 400 metres off.
  private gcs(): { gcs: Gcs } {
    return { gcs: this.transport.settings.gcs };
  }
}
