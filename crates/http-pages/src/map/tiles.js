// The tiles of a map: fetched as they are wanted, kept while there is room, and tried again when the server is busy.

const AT_ONCE = 6;
const PATIENCE = [500, 1000, 2000, 4000, 8000];

export class Tiles {
  /// `changed` is called when a tile has come, `stale` when the server has another map now, `troubled` with whether
  /// tiles fail to come.
  constructor(network, { changed, stale, troubled }) {
    Object.assign(this, { network, changed, stale, troubled });
    this.have = new Map();
    this.loading = new Map();
    this.failed = new Map();
    this.wanted = [];
  }

  /// Pixels for one unit of the map on a level.
  scale(z) {
    return this.network.deepest / 2 ** (this.network.levels - 1 - z);
  }

  /// The level whose tiles are sharp enough at so many pixels for one unit.
  level(scale) {
    let z = 0;
    while (z < this.network.levels - 1 && this.scale(z) < scale * 0.9) z += 1;
    return z;
  }

  /// A tile, if it is here.
  get(key) {
    const tile = this.have.get(key);
    if (tile) {
      // What was used last is at the end.
      this.have.delete(key);
      this.have.set(key, tile);
    }
    return tile;
  }

  /// Says which tiles are looked at now, the most important first.
  want(keys) {
    this.wanted = keys;
    const set = new Set(keys);
    for (const [key, controller] of this.loading) {
      if (!set.has(key)) controller.abort();
    }
    for (const key of this.failed.keys()) {
      if (!set.has(key)) this.failed.delete(key);
    }
    this.fetchNext();
    const room = Math.max(96, keys.length * 2);
    for (const key of this.have.keys()) {
      if (this.have.size <= room) break;
      if (set.has(key)) continue;
      this.have.get(key).image.close();
      this.have.delete(key);
    }
  }

  /// Whether everything that is wanted is here.
  get complete() {
    return this.wanted.every((key) => this.have.has(key));
  }

  fetchNext() {
    const now = performance.now();
    for (const key of this.wanted) {
      if (this.loading.size >= AT_ONCE) return;
      if (this.have.has(key) || this.loading.has(key)) continue;
      if ((this.failed.get(key)?.until ?? 0) > now) continue;
      this.fetch(key);
    }
  }

  async fetch(key) {
    const controller = new AbortController();
    this.loading.set(key, controller);
    try {
      const answer = await fetch(`/map/${this.network.id}/${this.network.tag}/${key}.png`, { signal: controller.signal });
      if (answer.status === 404) this.stale();
      if (!answer.ok) throw new Error(String(answer.status));
      const image = await createImageBitmap(await answer.blob());
      this.have.set(key, { image, since: performance.now() });
      this.failed.delete(key);
      this.tell();
      this.changed();
    } catch (error) {
      if (error.name !== "AbortError") this.tryAgain(key);
    } finally {
      this.loading.delete(key);
      this.fetchNext();
    }
  }

  tryAgain(key) {
    const times = (this.failed.get(key)?.times ?? 0) + 1;
    const wait = PATIENCE[Math.min(times, PATIENCE.length) - 1];
    this.failed.set(key, { times, until: performance.now() + wait });
    this.tell();
    setTimeout(() => this.fetchNext(), wait + 20);
  }

  /// Tells when trouble begins and ends. Failing once is none: the server says no when it has much to draw.
  tell() {
    const isTroubled = [...this.failed.values()].some(({ times }) => times > 2);
    if (isTroubled !== (this.isTroubled ?? false)) this.troubled(isTroubled);
    this.isTroubled = isTroubled;
  }

  /// Forgets everything, for another map.
  close() {
    for (const controller of this.loading.values()) controller.abort();
    for (const { image } of this.have.values()) image.close();
    this.have.clear();
    this.wanted = [];
    // Whoever comes after this one does not know of its trouble.
    this.failed.clear();
    this.tell();
  }
}
