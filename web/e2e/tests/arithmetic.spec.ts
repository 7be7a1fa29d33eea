// What the pages compute themselves: percentiles out of classes of times, and where a box is on the upright picture.
import { expect, test } from '@playwright/test';
import { percentile } from '../../src/console/pages/applications/usage/percentile';
import { orientationOf, uprightBox } from '../../src/console/pages/recognition/orientation';

const bounds = [1, 3, 10, 30, 100, 300, 1000, 3000];
const classes = (counts: Record<number, number>) => Array.from({ length: 9 }, (_, at) => counts[at] ?? 0);

test('a percentile lies as far in its class as its rank does', () => {
  expect(percentile(0.5, bounds, classes({}))).toBeNull();
  expect(percentile(0.5, bounds, classes({ 3: 4 }))).toEqual({ ms: 20, above: false });
  expect(percentile(1, bounds, classes({ 0: 2 }))).toEqual({ ms: 1, above: false });
  expect(percentile(0.95, bounds, classes({ 1: 90, 4: 10 }))).toEqual({ ms: 65, above: false });
  expect(percentile(0.99, bounds, classes({ 1: 1, 8: 1 }))).toEqual({ ms: 3000, above: true });
  expect(percentile(0, bounds, classes({ 2: 5 }))).toEqual({ ms: 3, above: false });
});

test('percentiles never fall as their share grows', () => {
  for (let seed = 1; seed < 200; seed++) {
    const counts = Array.from({ length: 9 }, (_, at) => (seed * (at + 7) * 2654435761) % 17);
    const times = [0, 0.1, 0.5, 0.9, 0.99, 1].map((share) => percentile(share, bounds, counts)?.ms ?? 0);
    expect(times, String(counts)).toEqual([...times].sort((a, b) => a - b));
  }
});

test('a box of the file is found on the upright picture, for all eight orientations', () => {
  const size = { width: 100, height: 50 };
  const box = { xMin: 10, yMin: 5, xMax: 30, yMax: 15 };
  const where = Array.from({ length: 8 }, (_, at) => uprightBox(box, size, at + 1));
  expect(where).toEqual([
    { xMin: 10, yMin: 5, xMax: 30, yMax: 15 },
    { xMin: 70, yMin: 5, xMax: 90, yMax: 15 },
    { xMin: 70, yMin: 35, xMax: 90, yMax: 45 },
    { xMin: 10, yMin: 35, xMax: 30, yMax: 45 },
    { xMin: 5, yMin: 10, xMax: 15, yMax: 30 },
    { xMin: 35, yMin: 10, xMax: 45, yMax: 30 },
    { xMin: 35, yMin: 70, xMax: 45, yMax: 90 },
    { xMin: 5, yMin: 70, xMax: 15, yMax: 90 },
  ]);
});

test('the orientation is read from a JPEG, and a broken one has none', async () => {
  const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0];
  const exif = [0x45, 0x78, 0x69, 0x66, 0, 0, ...tiff];
  const jpeg = [0xff, 0xd8, 0xff, 0xe1, 0, exif.length + 2, ...exif, 0xff, 0xda, 0, 0, 0, 0, 0, 0, 0, 0];
  expect(await orientationOf(new Blob([new Uint8Array(jpeg)]))).toBe(6);
  expect(await orientationOf(new Blob([new Uint8Array(jpeg.slice(0, 20))]))).toBe(1);
  expect(await orientationOf(new Blob([]))).toBe(1);
});
