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
import { isAbort } from '$/lib/error-message';

type Page = { cursor: string | undefined; images: DatasetImage[]; next: string | undefined };
const INTERVAL = 1500;

/** Polls a dataset: its progress and the outcomes of its images. */
export class DatasetWatcher {
  #api: PublicApi;
  #id: string;
  #pages = $state.raw<Page[]>([]);
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
   * Polls until the dataset is finished and returns a function that stops polling. `finished` is called if building
   * ends while polling.
   */
  watch(finished: (dataset: Dataset) => void): () => void {
    this.error = null;
    return poll(async (signal) => {
      try {
        const before = this.dataset;
        const dataset = await datasetApi.getDataset(this.#api, this.#id, { limit: 0 }, signal);
        if (signal.aborted) return true;
        [this.dataset, this.error] = [dataset, null];
        this.#estimate(dataset);
        await this.#listImages(signal, isFinished(dataset));
        if (signal.aborted) return true;
        if (before && !isFinished(before) && isFinished(dataset)) finished(dataset);
        return isFinished(dataset);
      } catch (reason) {
        if (isAbort(reason) || signal.aborted) return true;
        this.error = reason;
        // Temporary failures are retried. Other errors would occur again, so polling stops until the user retries.
        return !(reason instanceof PublicError && (reason.code === 'offline' || reason.status >= 500));
      }
    }, INTERVAL);
  }

  /**
   * Images are processed roughly in order, so only pages with pending images are fetched again, and only the first two
   * of them until the dataset is finished.
   */
  async #listImages(signal: AbortSignal, all: boolean) {
    let refetched = 0;
    for (let at = 0; at === 0 || this.#pages[at - 1]?.next !== undefined; at++) {
      const known = this.#pages[at];
      if (known && (!known.images.some((image) => image.outcome === 'pending') || (refetched >= 2 && !all))) continue;
      const cursor = at === 0 ? undefined : this.#pages[at - 1]?.next;
      const response = await datasetApi.getDataset(this.#api, this.#id, { cursor, limit: IMAGES_PER_PAGE }, signal);
      if (signal.aborted) return;
      refetched += known ? 1 : 0;
      const page = { cursor, images: response.images, next: response.nextCursor ?? undefined };
      this.#pages = known ? this.#pages.with(at, page) : [...this.#pages, page];
    }
    this.listed = true;
  }

  #estimate(dataset: Dataset) {
    const { done, total } = dataset.progress;
    this.#samples = [...this.#samples.slice(-20), { at: performance.now(), done }];
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    const speed = first && last && last.done > first.done ? (last.done - first.done) / (last.at - first.at) : 0;
    this.remaining = isFinished(dataset) || speed === 0 ? null : (total - done) / speed;
  }
}
