import { PublicError, type PublicApi } from '$/lib/public';
import {
  datasetApi,
  IMAGES_PER_PAGE,
  isFinished,
  type Dataset,
  type DatasetImage,
  type PositionedImage,
} from './dataset-api';
import { poll } from './poll';
import { endOf, isSettled, versionOf, type End } from './versions';
import { isAbort } from '$/lib/error-message';

type Page = { cursor: string | undefined; images: DatasetImage[]; next: string | undefined };
const INTERVAL = 1500;

/** Polls a dataset: its progress, that of a new version, and the outcomes of its images. */
export class DatasetWatcher {
  #api: PublicApi;
  #id: string;
  #pages = $state.raw<Page[]>([]);
  /** The version whose images the pages list. */
  #listedVersion: number | null = null;
  #samples: { at: number; done: number }[] = [];
  dataset = $state.raw<Dataset | null>(null);
  error = $state.raw<unknown>(null);
  /** Whether all images have been listed. */
  listed = $state(false);
  /** Estimated milliseconds until the dataset is built, or null if unknown. */
  remaining = $state<number | null>(null);
  readonly images = $derived<PositionedImage[]>(
    this.#pages.flatMap((page) => page.images).map((image, position) => ({ ...image, position })),
  );

  constructor(api: PublicApi, id: string) {
    this.#api = api;
    this.#id = id;
  }

  /**
   * Polls until nothing is being built and returns a function that stops polling. `ended` is called if building ends
   * while polling.
   */
  watch(ended: (end: End, dataset: Dataset) => void): () => void {
    this.error = null;
    return poll(async (signal) => {
      try {
        const before = this.dataset;
        const dataset = await datasetApi.getDataset(this.#api, this.#id, { limit: 0 }, signal);
        if (signal.aborted) return true;
        // The report of another version is shown together with its images, not with those of the version before.
        const isOther = this.#listedVersion !== null && this.#listedVersion !== versionOf(dataset);
        if (!isOther) [this.dataset, this.error] = [dataset, null];
        this.#estimate(dataset);
        const isCurrent = isOther
          ? await this.#listAfresh(signal, dataset)
          : await this.#listImages(signal, isFinished(dataset));
        if (signal.aborted) return true;
        if (!isCurrent) return false;
        this.#listedVersion = versionOf(dataset);
        [this.dataset, this.error] = [dataset, null];
        const end = before && endOf(before, dataset);
        if (end) ended(end, dataset);
        return isSettled(dataset);
      } catch (reason) {
        if (isAbort(reason) || signal.aborted) return true;
        this.error = reason;
        // Temporary failures are retried. Other errors would occur again, so polling stops until the user retries.
        return !(reason instanceof PublicError && (reason.code === 'offline' || reason.status >= 500));
      }
    }, INTERVAL);
  }

  /** Shows the answer to a change at once. It has no report; that of the version which still answers is kept. */
  take(dataset: Dataset) {
    const health = this.dataset?.health;
    if (this.#listedVersion === versionOf(dataset)) this.dataset = health ? { ...dataset, health } : dataset;
  }

  /** Lists the images of another version. Returns false if it is no longer the one that answers. */
  async #listAfresh(signal: AbortSignal, dataset: Dataset): Promise<boolean> {
    const pages: Page[] = [];
    do {
      const cursor = pages.at(-1)?.next;
      const response = await datasetApi.getDataset(this.#api, this.#id, { cursor, limit: IMAGES_PER_PAGE }, signal);
      if (versionOf(response) !== versionOf(dataset)) return false;
      pages.push({ cursor, images: response.images, next: response.nextCursor ?? undefined });
    } while (pages.at(-1)?.next !== undefined);
    if (!signal.aborted) this.#pages = pages;
    return true;
  }

  /**
   * Images are processed roughly in order, so only pages with pending images are fetched again, and only the first two
   * of them until the dataset is finished. Returns whether the list is that of the dataset.
   */
  async #listImages(signal: AbortSignal, all: boolean): Promise<boolean> {
    let refetched = 0;
    for (let at = 0; at === 0 || this.#pages[at - 1]?.next !== undefined; at++) {
      const known = this.#pages[at];
      if (known && (!known.images.some((image) => image.outcome === 'pending') || (refetched >= 2 && !all))) continue;
      const cursor = at === 0 ? undefined : this.#pages[at - 1]?.next;
      const response = await datasetApi.getDataset(this.#api, this.#id, { cursor, limit: IMAGES_PER_PAGE }, signal);
      if (signal.aborted) return false;
      refetched += known ? 1 : 0;
      const page = { cursor, images: response.images, next: response.nextCursor ?? undefined };
      this.#pages = known ? this.#pages.with(at, page) : [...this.#pages, page];
    }
    this.listed = true;
    return true;
  }

  #estimate(dataset: Dataset) {
    const { done, total } = dataset.progress;
    this.#samples = [...this.#samples.slice(-20), { at: performance.now(), done }];
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    const speed = first && last && last.done > first.done ? (last.done - first.done) / (last.at - first.at) : 0;
    this.remaining = isFinished(dataset) || speed === 0 ? null : (total - done) / speed;
  }
}
