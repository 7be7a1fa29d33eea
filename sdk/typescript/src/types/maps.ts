/** A prefecture of Japan. */
export interface Prefecture {
  /** JIS X 0401: 13 is Tokyo. */
  code: number;
  name: string;
}

/** A place on earth. */
export interface GeoPoint {
  latitude: number;
  longitude: number;
  /** The geodetic system: wgs84 or tokyo. */
  gcs: string;
}

/** A shape that stands for a station on a map. */
export interface Mark {
  /** rect (x and y are its top left corner) or circle (x and y are its centre). */
  shape: string;
  x: number;
  y: number;
  width?: number;
  height?: number;
  r?: number;
  chamfering: boolean;
  /** Whether it is the station's name. */
  isText: boolean;
}

/** A station, with what the operation knows about it. */
export interface Point {
  /** Never changes, unlike the name. */
  code: number;
  name: string;
  /** The reading of the name in kana. */
  yomi: string;
  /** train, plane, ship, bus, walk or strange. */
  type: string;
  /** Absent outside of Japan. */
  prefecture?: Prefecture;
  geoPoint: GeoPoint;
  /** Its shapes; of railmapList and railmapDetail. */
  marks?: Mark[];
  /** The ids of the maps that it is on; of stations and stationNear. */
  maps?: string[];
  /** Metres from the place; of stationNear. */
  distance?: number;
}

/** A map, and a station on it: the one asked for, or the largest. */
export interface ListedMap {
  id: string;
  name: string;
  width: number;
  height: number;
  points: Point[];
}

/** A window of a map, and the stations in it. */
export interface RailMap {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
  points: Point[];
}

/** Some of the stations that were found. */
export interface StationPage {
  /** How many there are in all. */
  max: number;
  /** The number of the first one here, counted from 1. */
  offset: number;
  points: Point[];
}

/** A ride on one line. */
export interface CourseLine {
  name: string;
  type: string;
  /** Such as #f15a22. */
  color: string;
  /** Minutes. */
  timeOnBoard: number;
  stopStationCount: number;
  /** In units of 100 metres. */
  distance: number;
  /** The stations on the way. */
  stops: Point[];
}

/** A way from one station to another. Between n + 1 points there are n lines. */
export interface Course {
  /** Minutes, as are the other times; of a typical weekday, because there is no timetable. */
  timeOnBoard: number;
  timeWalk: number;
  timeOther: number;
  transferCount: number;
  /** In units of 100 metres. */
  distance: number;
  points: Point[];
  lines: CourseLine[];
}

/** A picture as the server sent it. */
export interface PictureFile {
  content: Blob;
  contentType: string;
  etag?: string;
}
