// Fetches tiles as they come into view, keeps those that were used last, and retries when the server is busy.

import { languageQuery, type Network } from './network';
import type { TilePosition } from './tile-grid';

export type TileStyle = 'light' | 'dark';
export type LoadedTile = { image: ImageBitmap; since: number };

export type TileEvents = {
  /** A tile has arrived. */
  onTile: () => void;
  /** The server has another version of the map. */
  onStale: () => void;
  /** Tiles began to fail repeatedly, or no longer do. */
  onFailing: (isFailing: boolean) => void;
};

const CONCURRENT_REQUESTS = 6;
const RETRY_MILLISECONDS = [500, 1000, 2000, 4000, 8000] as const;
const CACHED_TILES = 96;

export const tileKey = (style: TileStyle, { z, x, y }: TilePosition) => `${style}/${z}/${x}/${y}`;

/** How long to wait after a tile has failed so many times, at least once. */
export const retryDelay = (failures: number) =>
  RETRY_MILLISECONDS[Math.min(failures, RETRY_MILLISECONDS.length) - 1] ?? RETRY_MILLISECONDS[0];

export class TileLoader {
  readonly #network: Network;
  readonly #events: TileEvents;
  readonly #loaded = new Map<string, LoadedTile>();
  readonly #loading = new Map<string, AbortController>();
  readonly #failed = new Map<string, { times: number; until: number }>();
  #wanted: string[] = [];
  #isFailing = false;

  constructor(network: Network, events: TileEvents) {
    this.#network = network;
    this.#events = events;
  }

  /** A tile, if it has been loaded. */
  get(key: string): LoadedTile | undefined {
    const tile = this.#loaded.get(key);
    if (tile) {
      // The map iterates in order of insertion: the tile that was used last goes to the end.
      this.#loaded.delete(key);
      this.#loaded.set(key, tile);
    }
    return tile;
  }

  /** Sets which tiles are in view, the most important first. */
  want(keys: string[]): void {
    this.#wanted = keys;
    const set = new Set(keys);
    for (const [key, controller] of this.#loading) {
      if (!set.has(key)) controller.abort();
    }
    for (const key of this.#failed.keys()) {
      if (!set.has(key)) this.#failed.delete(key);
    }
    this.#fetchNext();
    const limit = Math.max(CACHED_TILES, keys.length * 2);
    for (const [key, { image }] of this.#loaded) {
      if (this.#loaded.size <= limit) break;
      if (set.has(key)) continue;
      image.close();
      this.#loaded.delete(key);
    }
  }

  /** Whether every wanted tile has been loaded. */
  get isComplete(): boolean {
    return this.#wanted.every((key) => this.#loaded.has(key));
  }

  #fetchNext(): void {
    const now = performance.now();
    for (const key of this.#wanted) {
      if (this.#loading.size >= CONCURRENT_REQUESTS) return;
      if (this.#loaded.has(key) || this.#loading.has(key)) continue;
      if ((this.#failed.get(key)?.until ?? 0) > now) continue;
      void this.#fetch(key);
    }
  }

  async #fetch(key: string): Promise<void> {
    const controller = new AbortController();
    this.#loading.set(key, controller);
    try {
      const { id, tag, language } = this.#network;
      const response = await fetch(`/map/${id}/${tag}/${key}.png${languageQuery(language)}`, {
        signal: controller.signal,
      });
      if (response.status === 404) this.#events.onStale();
      if (!response.ok) throw new Error(String(response.status));
      const image = await createImageBitmap(await response.blob());
      this.#loaded.set(key, { image, since: performance.now() });
      this.#failed.delete(key);
      this.#reportFailures();
      this.#events.onTile();
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'AbortError')) this.#retry(key);
    } finally {
      this.#loading.delete(key);
      this.#fetchNext();
    }
  }

  #retry(key: string): void {
    const times = (this.#failed.get(key)?.times ?? 0) + 1;
    const wait = retryDelay(times);
    this.#failed.set(key, { times, until: performance.now() + wait });
    this.#reportFailures();
    setTimeout(() => this.#fetchNext(), wait + 20);
  }

  /** Reports when failing begins and ends. A few failures of a tile are normal: a busy server refuses to draw. */
  #reportFailures(): void {
    const isFailing = [...this.#failed.values()].some(({ times }) => times > 2);
    if (isFailing !== this.#isFailing) this.#events.onFailing(isFailing);
    this.#isFailing = isFailing;
  }

  /** Ends all requests and frees the images. */
  close(): void {
    for (const controller of this.#loading.values()) controller.abort();
    for (const { image } of this.#loaded.values()) image.close();
    this.#loaded.clear();
    this.#wanted = [];
    // The next loader does not know about the failures of this one, so they end here.
    this.#failed.clear();
    this.#reportFailures();
  }
}
