// The fragment of the page's URL: #station=…&line=…&from=…&to=…&way=…&at=x,y,scale

import type { Camera } from './camera';

export type Address = {
  station: string | null;
  line: string | null;
  from: string | null;
  to: string | null;
  /** Which of the ways between them, counted from 0. */
  way: number;
  camera: Camera | undefined;
};

export function readAddress(hash: string): Address {
  const fields = new URLSearchParams(hash.slice(1));
  const [x, y, scale, ...rest] = (fields.get('at') ?? '').split(',').map(Number);
  const isCamera = [x, y, scale].every(Number.isFinite) && rest.length === 0;
  const camera = isCamera && x !== undefined && y !== undefined && scale !== undefined ? { x, y, scale } : undefined;
  const way = Number(fields.get('way') ?? 0);
  return {
    station: fields.get('station'),
    line: fields.get('line'),
    from: fields.get('from'),
    to: fields.get('to'),
    way: Number.isInteger(way) && way >= 0 ? way : 0,
    camera,
  };
}

type Coded = { code: number } | undefined;

/** What of the page is in its address beside the camera. */
export type Shown = { station?: Coded; line?: Coded; from?: Coded; to?: Coded; way?: number };

export function writeAddress({ x, y, scale }: Camera, { station, line, from, to, way }: Shown = {}): string {
  const fields = Object.entries({ station, line, from, to }).flatMap(([name, value]) =>
    value ? [`${name}=${value.code}`] : [],
  );
  if (from && to && way) fields.push(`way=${way}`);
  fields.push(`at=${Math.round(x)},${Math.round(y)},${Number(scale.toPrecision(3))}`);
  return `#${fields.join('&')}`;
}
