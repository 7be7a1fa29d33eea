import { PublicError, type PublicApi } from '$/lib/public';
import { calls, IMAGES_PAGE, isFinished, type DataSet, type DataSetImage, type PlacedImage } from './calls';
import { poll } from './poll';
import { isAbort } from '$/lib/wording';

type Page = { cursor: string | undefined; images: DataSetImage[]; next: string | undefined };
const EVERY = 1500;

/** Polls a dataset: its progress and the outcomes of its images. */
export class WatchedDataSet {
  #api: PublicApi;
  #id: string;
  #pages = $state.raw<Page[]>([]);
  #seen: { at: number; done: number }[] = [];
  set = $state.raw<DataSet | null>(null);
  error = $state.raw<unknown>(null);
  /** Whether all images have been listed. */
  listed = $state(false);
  /** Estimated milliseconds until the dataset is built, or null if unknown. */
  left = $state<number | null>(null);
  readonly images = $derived<PlacedImage[]>(
    this.#pages.flatMap((page) => page.images).map((image, place) => ({ ...image, place })),
  );

  constructor(api: PublicApi, id: string) {
    this.#api = api;
    this.#id = id;
  }

  /**
   * Polls until the dataset is finished and returns a function that stops polling. `finished` is called if building
   * ends while polling.
   */
  watch(finished: (set: DataSet) => void): () => void {
    this.error = null;
    return poll(async (signal) => {
      try {
        const before = this.set;
        const set = await calls.getDataSet(this.#api, this.#id, { limit: 0 }, signal);
        if (signal.aborted) return true;
        [this.set, this.error] = [set, null];
        this.#estimate(set);
        await this.#list(signal, isFinished(set));
        if (signal.aborted) return true;
        if (before && !isFinished(before) && isFinished(set)) finished(set);
        return isFinished(set);
      } catch (reason) {
        if (isAbort(reason) || signal.aborted) return true;
        this.error = reason;
        // Temporary failures are retried. Other errors would occur again, so polling stops until the user retries.
        return !(reason instanceof PublicError && (reason.code === 'offline' || reason.status >= 500));
      }
    }, EVERY);
  }

  /**
   * Images are processed roughly in order, so only pages with pending images are fetched again, and only the first two
   * of them until the dataset is finished.
   */
  async #list(signal: AbortSignal, all: boolean) {
    let asked = 0;
    for (let at = 0; at === 0 || this.#pages[at - 1]?.next !== undefined; at++) {
      const known = this.#pages[at];
      if (known && (!known.images.some((image) => image.outcome === 'pending') || (asked >= 2 && !all))) continue;
      const cursor = at === 0 ? undefined : this.#pages[at - 1]?.next;
      const answer = await calls.getDataSet(this.#api, this.#id, { cursor, limit: IMAGES_PAGE }, signal);
      if (signal.aborted) return;
      asked += known ? 1 : 0;
      const page = { cursor, images: answer.images, next: answer.nextCursor ?? undefined };
      this.#pages = known ? this.#pages.with(at, page) : [...this.#pages, page];
    }
    this.listed = true;
  }

  #estimate(set: DataSet) {
    const { done, total } = set.progress;
    this.#seen = [...this.#seen.slice(-20), { at: performance.now(), done }];
    const [first, last] = [this.#seen[0], this.#seen.at(-1)];
    const speed = first && last && last.done > first.done ? (last.done - first.done) / (last.at - first.at) : 0;
    this.left = isFinished(set) || speed === 0 ? null : (total - done) / speed;
  }
}
