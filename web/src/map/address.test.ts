import { expect, test } from 'vitest';
import { readAddress, writeAddress } from './address';

const nothing = { station: null, line: null, from: null, to: null, way: 0, camera: undefined };

test('an address is read as it is written', () => {
  const hash = writeAddress({ x: 1234.4, y: 0, scale: 0.66666 }, { station: { code: 1131215 } });
  expect(hash).toBe('#station=1131215&at=1234,0,0.667');
  expect(readAddress(hash)).toEqual({ ...nothing, station: '1131215', camera: { x: 1234, y: 0, scale: 0.667 } });
});

test('it holds the highlighted line, and the way', () => {
  const shown = { line: { code: 11302 }, from: { code: 1 }, to: { code: 2 }, way: 1 };
  const hash = writeAddress({ x: 1, y: 2, scale: 3 }, shown);
  expect(hash).toBe('#line=11302&from=1&to=2&way=1&at=1,2,3');
  expect(readAddress(hash)).toMatchObject({ line: '11302', from: '1', to: '2', way: 1 });
  expect(readAddress('#from=1&to=2&way=-1').way).toBe(0);
});

test('without a station it has the camera only', () => {
  expect(writeAddress({ x: 1, y: 2, scale: 3 })).toBe('#at=1,2,3');
});

test.each(['', '#', '#at=', '#at=1,2', '#at=1,2,3,4', '#at=a,2,3', '#at=1,2,Infinity'])('%s has no camera', (hash) => {
  expect(readAddress(hash)).toEqual(nothing);
});
