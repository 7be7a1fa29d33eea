import type { MapLine, MapStation, Network } from '$map/network';
import type { MapWindow } from './window';

export type Kind = 'window' | 'code' | 'name';
export type Gcs = 'wgs84' | 'tokyo';
/** The parameters of railmapDetail as sent. Empty ones are omitted. */
export type Parameters = {
  id: string;
  x?: number;
  y?: number;
  width?: number;
  height?: number;
  stationCode?: number;
  stationName?: string;
  gcs: Gcs;
};

const number = (text: string | undefined | null) =>
  text !== null && text !== undefined && /^-?\d+$/.test(text) ? Number(text) : null;

/** The request and the selection of the explorer of a map. Shared by the map and the panel. */
export class Explorer {
  readonly id: string;
  kind = $state<Kind>('window');
  x = $state<number | null>(null);
  y = $state<number | null>(null);
  width = $state<number | null>(null);
  height = $state<number | null>(null);
  /** Null while the input is not a number. */
  code = $state<number | null>(null);
  name = $state('');
  gcs = $state<Gcs>('wgs84');

  network = $state.raw<Network>();
  /** The station whose details are shown. */
  station = $state.raw<MapStation>();
  /** The highlighted line. */
  line = $state.raw<MapLine>();
  /** The station codes of the latest response. */
  found = $state.raw<string[]>([]);

  constructor(id: string) {
    this.id = id;
  }

  /** The requested window. Extends to the edges of the map if it has no size. */
  get window(): MapWindow | null {
    if (this.kind !== 'window') return null;
    const [x, y] = [this.x ?? 0, this.y ?? 0];
    if (this.width !== null && this.height !== null) return { x, y, width: this.width, height: this.height };
    if (this.width !== null || this.height !== null || !this.network) return null;
    return { x, y, width: Math.max(this.network.width - x, 0), height: Math.max(this.network.height - y, 0) };
  }

  /** Whether the window has a size of its own and can be dragged. */
  get isResizable(): boolean {
    return this.kind === 'window' && this.width !== null && this.height !== null;
  }

  setWindow({ x, y, width, height }: MapWindow) {
    this.kind = 'window';
    [this.x, this.y, this.width, this.height] = [x, y, width, height];
  }

  requestStation(station: MapStation, by: 'code' | 'name') {
    this.kind = by;
    this.code = station.code;
    this.name = station.name;
  }

  /** Null while the request is incomplete. */
  get parameters(): Parameters | null {
    const { id, gcs } = this;
    if (this.kind === 'code') return this.code === null ? null : { id, stationCode: this.code, gcs };
    if (this.kind === 'name') return this.name.trim() === '' ? null : { id, stationName: this.name.trim(), gcs };
    const given = Object.entries({ x: this.x, y: this.y, width: this.width, height: this.height }).filter(
      ([, value]) => value !== null,
    );
    return { id, ...Object.fromEntries(given), gcs };
  }

  /** The same as query parameters of the page, so that it can be shared. */
  get address() {
    const sides =
      this.kind === 'window' ? [this.x, this.y, this.width, this.height].map((value) => value ?? '').join(',') : null;
    return {
      window: sides,
      code: this.kind === 'code' ? this.code : null,
      name: this.kind === 'name' ? this.name : null,
      gcs: this.gcs === 'tokyo' ? 'tokyo' : null,
    };
  }

  /** Reads the query parameters. Returns false if there are none. */
  read(query: Pick<URLSearchParams, 'get'>): boolean {
    if (query.get('gcs') === 'tokyo') this.gcs = 'tokyo';
    const sides = query.get('window')?.split(',');
    if (sides?.length === 4) {
      [this.x, this.y, this.width, this.height] = [
        number(sides[0]),
        number(sides[1]),
        number(sides[2]),
        number(sides[3]),
      ];
      return true;
    }
    const [code, name] = [number(query.get('code')), query.get('name')];
    if (code === null && !name) return false;
    this.kind = code === null ? 'name' : 'code';
    this.code = code;
    this.name = name ?? '';
    return true;
  }
}
