import { getContext, setContext } from 'svelte';

type Entry = { url: Promise<string>; objectUrl: string | null; references: number; stop: AbortController };

/** The number of thumbnails kept after they have left the view. */
const MAX_UNUSED = 300;
/** Leaves connections for uploads and lists: browsers open six per server. */
const MAX_CONCURRENT = 4;

/** Thumbnails as object URLs with reference counts. Unused ones are revoked, least recently used first. */
export class ThumbnailCache {
  #load: (id: string, signal: AbortSignal) => Promise<Blob>;
  #entries = new Map<string, Entry>();
  #waiting: (() => void)[] = [];
  #active = 0;

  /** `load` fetches a thumbnail by what it is asked for: the id of an image, or an address. */
  constructor(load: (id: string, signal: AbortSignal) => Promise<Blob>) {
    this.#load = load;
  }

  acquire(imageId: string): Promise<string> {
    let entry = this.#entries.get(imageId);
    if (!entry) {
      const fresh: Entry = { url: Promise.resolve(''), objectUrl: null, references: 0, stop: new AbortController() };
      fresh.url = this.#fetch(imageId, fresh);
      entry = fresh;
      // Failed thumbnails are fetched again when they are next needed.
      fresh.url.catch(() => this.#entries.get(imageId) === fresh && this.#entries.delete(imageId));
    }
    entry.references += 1;
    // Maps iterate in insertion order, so the most recently used entry is last.
    this.#entries.delete(imageId);
    this.#entries.set(imageId, entry);
    return entry.url;
  }

  release(imageId: string) {
    const entry = this.#entries.get(imageId);
    if (!entry) return;
    entry.references -= 1;
    if (entry.references > 0) return;
    if (entry.objectUrl === null) {
      entry.stop.abort();
      this.#entries.delete(imageId);
      return;
    }
    let excess = this.#entries.size - MAX_UNUSED;
    for (const [id, old] of this.#entries) {
      if (excess <= 0) break;
      if (old.references > 0 || old.objectUrl === null) continue;
      URL.revokeObjectURL(old.objectUrl);
      this.#entries.delete(id);
      excess -= 1;
    }
  }

  clear() {
    for (const entry of this.#entries.values()) {
      entry.stop.abort();
      if (entry.objectUrl !== null) URL.revokeObjectURL(entry.objectUrl);
    }
    this.#entries.clear();
  }

  async #fetch(imageId: string, entry: Entry): Promise<string> {
    if (this.#active >= MAX_CONCURRENT) await new Promise<void>((go) => this.#waiting.push(go));
    this.#active += 1;
    try {
      entry.stop.signal.throwIfAborted();
      const blob = await this.#load(imageId, entry.stop.signal);
      entry.stop.signal.throwIfAborted();
      return (entry.objectUrl = URL.createObjectURL(blob));
    } finally {
      this.#active -= 1;
      this.#waiting.shift()?.();
    }
  }
}

const KEY = Symbol('thumbnails');
export const provideThumbnails = (thumbnails: ThumbnailCache) => setContext(KEY, thumbnails);
export const useThumbnails = () => getContext<ThumbnailCache>(KEY);
