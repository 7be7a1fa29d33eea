// The API reports boxes in pixels of the file before its orientation tag is applied, but browsers show the picture
// upright.

export type Box = { xMin: number; yMin: number; xMax: number; yMax: number };
export type Point = { x: number; y: number };
export type Size = { width: number; height: number };

const ORIENTATION_TAG = 0x0112;

/** The orientation in a TIFF structure, the format of EXIF data; 1 if absent. */
function inTiff(bytes: DataView, start: number): number {
  const little = bytes.getUint16(start) === 0x4949;
  const directory = start + bytes.getUint32(start + 4, little);
  const entries = bytes.getUint16(directory, little);
  for (let at = 0; at < entries; at++) {
    const entry = directory + 2 + at * 12;
    if (bytes.getUint16(entry, little) === ORIENTATION_TAG) {
      const value = bytes.getUint16(entry + 8, little);
      return value >= 1 && value <= 8 ? value : 1;
    }
  }
  return 1;
}

function inJpeg(bytes: DataView): number {
  for (let at = 2; at + 10 < bytes.byteLength;) {
    const marker = bytes.getUint16(at);
    // The image data begins here, or the file is malformed: there is no tag beyond this point.
    if (marker === 0xffda || marker >> 8 !== 0xff) return 1;
    const isExif = marker === 0xffe1 && bytes.getUint32(at + 4) === 0x45786966 && bytes.getUint16(at + 8) === 0;
    if (isExif) return inTiff(bytes, at + 10);
    at += 2 + bytes.getUint16(at + 2);
  }
  return 1;
}

/**
 * Finds EXIF data in the chunks of WebP (from byte 12: name, little-endian length) or PNG (from byte 8: length, name).
 */
function inChunks(bytes: DataView, webp: boolean): number {
  for (let at = webp ? 12 : 8; at + 8 < bytes.byteLength;) {
    const length = bytes.getUint32(webp ? at + 4 : at, webp);
    const name = bytes.getUint32(webp ? at : at + 4);
    if (name === (webp ? 0x45584946 : 0x65584966)) {
      const prefixed = bytes.getUint32(at + 8) === 0x45786966;
      return inTiff(bytes, at + 8 + (prefixed ? 6 : 0));
    }
    at += webp ? 8 + length + (length % 2) : 12 + length;
  }
  return 1;
}

/** The orientation tag of a picture, from 1 to 8. 1 means unrotated. */
export async function orientationOf(file: Blob): Promise<number> {
  try {
    const bytes = new DataView(await file.arrayBuffer());
    if (bytes.getUint16(0) === 0xffd8) return inJpeg(bytes);
    if (bytes.getUint32(0) === 0x89504e47) return inChunks(bytes, false);
    if (bytes.getUint32(0) === 0x52494646) return inChunks(bytes, true);
    if (bytes.getUint32(0) === 0x49492a00 || bytes.getUint32(0) === 0x4d4d002a) return inTiff(bytes, 0);
  } catch {
    // Truncated or malformed files are not rotated, neither here nor on the server.
  }
  return 1;
}

export const isSideways = (orientation: number) => orientation >= 5;
export const turned = (size: Size, orientation: number): Size =>
  isSideways(orientation) ? { width: size.height, height: size.width } : size;

/** Maps a point of the file to the upright picture. Coordinates are fractions. */
function upright(x: number, y: number, orientation: number): [number, number] {
  switch (orientation) {
    case 2:
      return [1 - x, y];
    case 3:
      return [1 - x, 1 - y];
    case 4:
      return [x, 1 - y];
    case 5:
      return [y, x];
    case 6:
      return [1 - y, x];
    case 7:
      return [1 - y, 1 - x];
    case 8:
      return [y, 1 - x];
    default:
      return [x, y];
  }
}

/** Maps a box of the file to pixels of the upright picture. */
export function uprightBox(box: Box, file: Size, orientation: number): Box {
  const size = turned(file, orientation);
  const [ax, ay] = upright(box.xMin / file.width, box.yMin / file.height, orientation);
  const [bx, by] = upright(box.xMax / file.width, box.yMax / file.height, orientation);
  return {
    xMin: Math.min(ax, bx) * size.width,
    yMin: Math.min(ay, by) * size.height,
    xMax: Math.max(ax, bx) * size.width,
    yMax: Math.max(ay, by) * size.height,
  };
}

/** Maps a point of the file to pixels of the upright picture. */
export function uprightPoint(point: Point, file: Size, orientation: number): Point {
  const size = turned(file, orientation);
  const [x, y] = upright(point.x / file.width, point.y / file.height, orientation);
  return { x: x * size.width, y: y * size.height };
}

/** The smallest box around some points. */
export function boxAround(points: Point[]): Box {
  const [xs, ys] = [points.map((point) => point.x), points.map((point) => point.y)];
  return { xMin: Math.min(...xs), yMin: Math.min(...ys), xMax: Math.max(...xs), yMax: Math.max(...ys) };
}

/** Intersection over union of two boxes. */
export function overlap(a: Box, b: Box): number {
  const width = Math.min(a.xMax, b.xMax) - Math.max(a.xMin, b.xMin);
  const height = Math.min(a.yMax, b.yMax) - Math.max(a.yMin, b.yMin);
  if (width <= 0 || height <= 0) return 0;
  const area = (box: Box) => (box.xMax - box.xMin) * (box.yMax - box.yMin);
  return (width * height) / (area(a) + area(b) - width * height);
}
