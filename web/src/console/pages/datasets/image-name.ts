import type { DatasetImage } from './dataset-api';

/** The file name of an image: the one it was uploaded with, or the last part of its address. Empty if it has none. */
export function nameOf(image: DatasetImage): string {
  if (image.name) return image.name;
  if (!URL.canParse(image.url)) return '';
  const last = new URL(image.url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
