import { getContext, setContext } from 'svelte';
import type { PublicApi } from '$/lib/public';
import { calls } from './calls';

type Entry = { url: Promise<string>; made: string | null; users: number; stop: AbortController };

/** The number of thumbnails kept after they have left the view. */
const SPARE = 300;
/** Leaves connections for uploads and lists: browsers open six per server. */
const AT_ONCE = 4;

/** Thumbnails as object URLs with reference counts. Unused ones are revoked, least recently used first. */
export class Pictures {
  #api: PublicApi;
  #entries = new Map<string, Entry>();
  #waiting: (() => void)[] = [];
  #under = 0;

  constructor(api: PublicApi) {
    this.#api = api;
  }

  take(imageId: string): Promise<string> {
    let entry = this.#entries.get(imageId);
    if (!entry) {
      const fresh: Entry = { url: Promise.resolve(''), made: null, users: 0, stop: new AbortController() };
      fresh.url = this.#fetch(imageId, fresh);
      entry = fresh;
      // Failed thumbnails are fetched again when they are next needed.
      fresh.url.catch(() => this.#entries.get(imageId) === fresh && this.#entries.delete(imageId));
    }
    entry.users += 1;
    // Maps iterate in insertion order, so the most recently used entry is last.
    this.#entries.delete(imageId);
    this.#entries.set(imageId, entry);
    return entry.url;
  }

  give(imageId: string) {
    const entry = this.#entries.get(imageId);
    if (!entry) return;
    entry.users -= 1;
    if (entry.users > 0) return;
    if (entry.made === null) {
      entry.stop.abort();
      this.#entries.delete(imageId);
      return;
    }
    let over = this.#entries.size - SPARE;
    for (const [id, old] of this.#entries) {
      if (over <= 0) break;
      if (old.users > 0 || old.made === null) continue;
      URL.revokeObjectURL(old.made);
      this.#entries.delete(id);
      over -= 1;
    }
  }

  clear() {
    for (const entry of this.#entries.values()) {
      entry.stop.abort();
      if (entry.made !== null) URL.revokeObjectURL(entry.made);
    }
    this.#entries.clear();
  }

  async #fetch(imageId: string, entry: Entry): Promise<string> {
    if (this.#under >= AT_ONCE) await new Promise<void>((go) => this.#waiting.push(go));
    this.#under += 1;
    try {
      entry.stop.signal.throwIfAborted();
      const blob = await calls.thumbnail(this.#api, imageId, entry.stop.signal);
      entry.stop.signal.throwIfAborted();
      return (entry.made = URL.createObjectURL(blob));
    } finally {
      this.#under -= 1;
      this.#waiting.shift()?.();
    }
  }
}

const KEY = Symbol('pictures');
export const offerPictures = (pictures: Pictures) => setContext(KEY, pictures);
export const thePictures = () => getContext<Pictures>(KEY);
