import { expect, test } from 'vitest';
import { readAddress, writeAddress } from './address';

test('an address is read as it is written', () => {
  const hash = writeAddress({ x: 1234.4, y: 0, scale: 0.66666 }, { code: 1131215 });
  expect(hash).toBe('#station=1131215&at=1234,0,0.667');
  expect(readAddress(hash)).toEqual({ station: '1131215', camera: { x: 1234, y: 0, scale: 0.667 } });
});

test('without a station it has the camera only', () => {
  expect(writeAddress({ x: 1, y: 2, scale: 3 }, undefined)).toBe('#at=1,2,3');
});

test.each(['', '#', '#at=', '#at=1,2', '#at=1,2,3,4', '#at=a,2,3', '#at=1,2,Infinity'])('%s has no camera', (hash) => {
  expect(readAddress(hash)).toEqual({ station: null, camera: undefined });
});
