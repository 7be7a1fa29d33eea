import { t } from '$/lib/i18n.svelte';
import { countCharacters, MAX_TAG_LENGTH, MAX_TAGS, type ImageSource, type StoredImage } from './dataset-api';
import type { TagCount } from './versions';

/** Stored images with the tags that were entered for them here, which do not change the storage area. */
export const fromStorage = (images: readonly StoredImage[], tags: ReadonlyMap<string, string>): ImageSource[] =>
  images.map(({ imageId, tag }) => ({ imageId, tag: (tags.get(imageId) ?? tag).trim() }));

/** The number of images per tag, most images first. */
export function countTags(images: readonly ImageSource[]): TagCount[] {
  const counts = new Map<string, number>();
  for (const image of images) counts.set(image.tag, (counts.get(image.tag) ?? 0) + 1);
  return [...counts]
    .map(([tag, images]) => ({ tag, images }))
    .sort((a, b) => b.images - a.images || a.tag.localeCompare(b.tag));
}

/** What the server would refuse of these images, beside those that the dataset has already. */
export function imagesProblem(
  images: readonly ImageSource[],
  maxImages: number,
  already: { images: number; tags: readonly string[] } = { images: 0, tags: [] },
): string | null {
  const words = t.datasets.create;
  const untagged = images.filter((image) => image.tag === '').length;
  if (untagged > 0) return words.untagged(untagged);
  if (images.some((one) => countCharacters(one.tag) > MAX_TAG_LENGTH)) return t.datasets.rules.tagLong;
  const total = already.images + images.length;
  if (total > maxImages) return words.tooMany(total, maxImages);
  const tags = new Set([...already.tags, ...images.map((one) => one.tag)]).size;
  return tags > MAX_TAGS ? words.tooManyTags(tags, MAX_TAGS) : null;
}
