import { expect, test } from 'vitest';
import { boxAround, orientationOf, overlap, uprightBox, uprightPoint } from './orientation';

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

test('the corners of a line lie where the box around them lies, for all eight orientations', () => {
  const size = { width: 100, height: 50 };
  const corners = [
    { x: 10, y: 10 },
    { x: 60, y: 5 },
    { x: 62, y: 15 },
    { x: 12, y: 20 },
  ];
  expect(boxAround(corners)).toEqual({ xMin: 10, yMin: 5, xMax: 62, yMax: 20 });
  for (let tag = 1; tag <= 8; tag++) {
    const turned = boxAround(corners.map((corner) => uprightPoint(corner, size, tag)));
    const box = uprightBox(boxAround(corners), size, tag);
    for (const side of ['xMin', 'yMin', 'xMax', 'yMax'] as const) expect(turned[side]).toBeCloseTo(box[side]);
  }
  expect(uprightPoint({ x: 10, y: 5 }, size, 6)).toEqual({ x: 45, y: 10 });
});

test('the orientation is read from a JPEG, and a broken one has none', async () => {
  const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0];
  const exif = [0x45, 0x78, 0x69, 0x66, 0, 0, ...tiff];
  const jpeg = [0xff, 0xd8, 0xff, 0xe1, 0, exif.length + 2, ...exif, 0xff, 0xda, 0, 0, 0, 0, 0, 0, 0, 0];
  expect(await orientationOf(new Blob([new Uint8Array(jpeg)]))).toBe(6);
  expect(await orientationOf(new Blob([new Uint8Array(jpeg.slice(0, 20))]))).toBe(1);
  expect(await orientationOf(new Blob([]))).toBe(1);
});

test('the overlap of two boxes is their common area over the area of both', () => {
  const box = { xMin: 0, yMin: 0, xMax: 10, yMax: 10 };
  expect(overlap(box, box)).toBe(1);
  expect(overlap(box, { xMin: 5, yMin: 0, xMax: 15, yMax: 10 })).toBeCloseTo(1 / 3);
  expect(overlap(box, { xMin: 20, yMin: 0, xMax: 30, yMax: 10 })).toBe(0);
});
