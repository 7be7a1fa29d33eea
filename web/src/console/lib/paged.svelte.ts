import { isAbort } from '$/lib/error-message';

export type Page<T> = { items: T[]; next: string | undefined };

/** A list that is fetched page by page. A new request cancels the previous one. */
export class Paged<T> {
  items = $state.raw<T[] | null>(null);
  error = $state.raw<unknown>(null);
  busy = $state(false);
  #next = $state<string | undefined>();
  readonly #fetch: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>;
  #stop = new AbortController();

  constructor(fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>) {
    this.#fetch = fetchPage;
  }

  get hasMore() {
    return this.#next !== undefined;
  }

  /** Fetches the list from its beginning. What is shown stays until the first page has arrived. */
  reload = () => this.#load(undefined);
  more = () => this.#load(this.#next);

  remove(isGone: (item: T) => boolean) {
    this.items = (this.items ?? []).filter((item) => !isGone(item));
  }

  stop() {
    this.#stop.abort();
  }

  async #load(cursor: string | undefined) {
    this.#stop.abort();
    const { signal } = (this.#stop = new AbortController());
    [this.busy, this.error] = [true, null];
    try {
      const page = await this.#fetch(cursor, signal);
      if (signal.aborted) return;
      this.items = cursor === undefined ? page.items : [...(this.items ?? []), ...page.items];
      this.#next = page.next;
    } catch (reason) {
      if (!signal.aborted && !isAbort(reason)) this.error = reason;
    } finally {
      if (!signal.aborted) this.busy = false;
    }
  }
}
