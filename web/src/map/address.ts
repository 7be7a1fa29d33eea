// The fragment of the page's URL: #station=…&at=x,y,scale

import type { Camera } from './camera';

export type Address = { station: string | null; camera: Camera | undefined };

export function readAddress(hash: string): Address {
  const fields = new URLSearchParams(hash.slice(1));
  const [x, y, scale, ...rest] = (fields.get('at') ?? '').split(',').map(Number);
  const isCamera = [x, y, scale].every(Number.isFinite) && rest.length === 0;
  const camera = isCamera && x !== undefined && y !== undefined && scale !== undefined ? { x, y, scale } : undefined;
  return { station: fields.get('station'), camera };
}

export function writeAddress({ x, y, scale }: Camera, station: { code: number } | undefined): string {
  const at = `at=${Math.round(x)},${Math.round(y)},${Number(scale.toPrecision(3))}`;
  return station ? `#station=${station.code}&${at}` : `#${at}`;
}
