import type { PublicApi } from '$/lib/public';
import { isAbort } from '$/lib/error-message';
import { datasetApi, type StoredImage } from './dataset-api';

/** Uploading the same bytes again adds a tag and a name where there were none. The answer has those that are kept. */
const mergeUpload = (before: StoredImage, { tag, name }: StoredImage): StoredImage => ({ ...before, tag, name });

/**
 * The images in a user's storage area. The whole area is listed, a thousand images per page, because counting tags,
 * filtering and checking limits require all of them. Thumbnails are fetched when they become visible.
 */
export class StorageArea {
  #api: PublicApi;
  #images = $state.raw<StoredImage[]>([]);
  #stop: AbortController | null = null;
  /** Images added and removed since listing began, because pages may have been read before that. */
  #added = new Map<string, StoredImage>();
  #removed = new Set<string>();
  /** Whether all pages have been listed. */
  complete = $state(false);
  busy = $state(false);
  error = $state.raw<unknown>(null);

  readonly bytes = $derived(this.#images.reduce((sum, image) => sum + image.bytes, 0));
  /** Every tag with its number of images. Untagged images have an empty tag. */
  readonly tags = $derived.by(() => {
    const counts = new Map<string, number>();
    for (const image of this.#images) counts.set(image.tag, (counts.get(image.tag) ?? 0) + 1);
    return [...counts].map(([tag, images]) => ({ tag, images })).sort((a, b) => a.tag.localeCompare(b.tag));
  });

  constructor(api: PublicApi) {
    this.#api = api;
  }

  /** Oldest first. */
  get images(): readonly StoredImage[] {
    return this.#images;
  }
  has(imageId: string) {
    return this.#images.some((image) => image.imageId === imageId);
  }

  async load() {
    this.stop();
    const stop = (this.#stop = new AbortController());
    [this.busy, this.error, this.complete] = [true, null, false];
    const found: StoredImage[] = [];
    this.#added.clear();
    this.#removed.clear();
    try {
      let cursor: string | undefined;
      do {
        const page = await datasetApi.listImages(this.#api, cursor, stop.signal);
        found.push(...page.images);
        this.#show(found);
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      this.complete = true;
    } catch (reason) {
      if (!isAbort(reason)) this.error = reason;
    } finally {
      if (this.#stop === stop) this.busy = false;
    }
  }

  stop() {
    this.#stop?.abort();
  }

  /** Adds an image that has just been uploaded. */
  add(image: StoredImage) {
    const earlier = this.#added.get(image.imageId);
    this.#added.set(image.imageId, earlier ? mergeUpload(earlier, image) : image);
    this.#removed.delete(image.imageId);
    const at = this.#images.findIndex((one) => one.imageId === image.imageId);
    const before = this.#images[at];
    this.#images = before ? this.#images.with(at, mergeUpload(before, image)) : [...this.#images, image];
  }

  remove(ids: ReadonlySet<string>) {
    for (const id of ids) {
      this.#added.delete(id);
      this.#removed.add(id);
    }
    this.#images = this.#images.filter((image) => !ids.has(image.imageId));
  }

  /** Merges the images listed so far with the changes made since. New images come last. */
  #show(listed: StoredImage[]) {
    const newer = new Map(this.#added);
    const known = listed
      .filter((image) => !this.#removed.has(image.imageId))
      .map((image) => {
        const put = newer.get(image.imageId);
        newer.delete(image.imageId);
        return put ? mergeUpload(image, put) : image;
      });
    this.#images = [...known, ...newer.values()];
  }
}
