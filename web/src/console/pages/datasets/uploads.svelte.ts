import type { PublicApi } from '$/lib/public';
import { PublicError } from '$/lib/public';
import { isAbort } from '$/lib/error-message';
import { datasetApi, type StoredImage } from './dataset-api';

export type Rejection = 'tooLarge' | 'notAnImage';
export type UploadState = 'waiting' | 'sending' | 'stored' | 'duplicate' | 'failed' | 'rejected' | 'cancelled';

/** The upload of one file to the storage area. */
export class Upload {
  readonly id: number;
  readonly file: File;
  readonly tag: string;
  readonly rejection: Rejection | null;
  state = $state<UploadState>('waiting');
  /** The share that has been sent, from 0 to 1. */
  share = $state(0);
  error = $state.raw<unknown>(null);
  stop = new AbortController();

  constructor(id: number, file: File, tag: string, rejection: Rejection | null) {
    this.id = id;
    this.file = file;
    this.tag = tag;
    this.rejection = rejection;
    if (rejection) this.state = 'rejected';
  }
}

const MAX_CONCURRENT = 3;
const isFinished = (state: UploadState) => state !== 'waiting' && state !== 'sending';

/** Uploads files, three at a time. Uploads continue while other pages are open. */
export abstract class UploadQueue {
  #list = $state.raw<Upload[]>([]);
  #last = 0;
  #active = 0;

  readonly counts = $derived.by(() => {
    const counts: Record<UploadState, number> = {
      waiting: 0,
      sending: 0,
      stored: 0,
      duplicate: 0,
      failed: 0,
      rejected: 0,
      cancelled: 0,
    };
    for (const one of this.#list) counts[one.state] += 1;
    return counts;
  });
  readonly busy = $derived(this.counts.waiting + this.counts.sending > 0);
  /** The share of all bytes that has been sent, from 0 to 1. */
  readonly share = $derived.by(() => {
    let [sent, all] = [0, 0];
    for (const one of this.#list) {
      if (one.state === 'rejected' || one.state === 'cancelled') continue;
      all += one.file.size;
      sent += isFinished(one.state) ? one.file.size : one.file.size * one.share;
    }
    return all === 0 ? 1 : sent / all;
  });

  /** Sends one file and keeps its share up to date. Resolves to `duplicate` if the server had it already. */
  protected abstract send(one: Upload, signal: AbortSignal): Promise<'stored' | 'duplicate'>;

  get list(): readonly Upload[] {
    return this.#list;
  }

  add(files: { file: File; tag: string; rejection: Rejection | null }[]) {
    this.#list = [...this.#list, ...files.map((one) => new Upload(++this.#last, one.file, one.tag, one.rejection))];
    this.#startNext();
  }

  retry(which: Upload[] = this.#list.filter((one) => one.state === 'failed' || one.state === 'cancelled')) {
    for (const one of which) {
      one.stop = new AbortController();
      [one.state, one.share, one.error] = ['waiting', 0, null];
    }
    this.#startNext();
  }

  cancel(which: Upload[] = this.#list.filter((one) => !isFinished(one.state))) {
    for (const one of which) {
      if (isFinished(one.state)) continue;
      one.state = 'cancelled';
      one.stop.abort();
    }
  }

  /** Removes finished uploads from the list. */
  clear() {
    this.#list = this.#list.filter((one) => !isFinished(one.state));
  }

  #startNext() {
    for (const next of this.#list) {
      if (this.#active >= MAX_CONCURRENT) return;
      if (next.state === 'waiting') void this.#upload(next);
    }
  }

  async #upload(one: Upload) {
    this.#active += 1;
    one.state = 'sending';
    const stop = one.stop;
    try {
      one.state = await this.send(one, stop.signal);
    } catch (reason) {
      // Cancelling has already set the state.
      if (!stop.signal.aborted && !isAbort(reason)) this.#fail(one, reason);
    } finally {
      this.#active -= 1;
      this.#startNext();
    }
  }

  #fail(one: Upload, reason: unknown) {
    [one.state, one.error] = ['failed', reason];
    // The server's limit has been reached, so the other uploads would fail as well.
    if (!(reason instanceof PublicError && (reason.status === 429 || reason.code === '203'))) return;
    for (const other of this.#list) if (other.state === 'waiting') [other.state, other.error] = ['failed', reason];
  }
}

const queues = new Map<string, UploadQueue>();

/** The queue of that key, which exists until the document is reloaded. */
export function queueOf<Q extends UploadQueue>(key: string, make: () => Q): Q {
  let queue = queues.get(key);
  if (!queue) queues.set(key, (queue = make()));
  return queue as Q;
}

/** Uploads to the storage area of a user. */
export class StorageUploads extends UploadQueue {
  /** Receives every stored image with the tag that was asked for, and knows whether an image was stored before. */
  listener: {
    isKnown: (imageId: string) => boolean;
    onStored: (image: StoredImage, wanted: string) => void;
  } | null = null;

  readonly #api: PublicApi;
  readonly #stored = new Set<string>();

  constructor(api: PublicApi) {
    super();
    this.#api = api;
  }

  protected async send(one: Upload, signal: AbortSignal): Promise<'stored' | 'duplicate'> {
    const sent = await datasetApi.upload(this.#api, one.file, one.tag, (share) => (one.share = share), signal);
    const known = this.#stored.has(sent.imageId) || (this.listener?.isKnown(sent.imageId) ?? false);
    this.#stored.add(sent.imageId);
    // Of the same bytes, the first tag and the first name stay.
    const { tag = '', name = '' } = sent;
    this.listener?.onStored({ ...sent, tag, name, bytes: one.file.size, createdAt: new Date().toISOString() }, one.tag);
    return known ? 'duplicate' : 'stored';
  }
}

export const uploadsOf = (api: PublicApi): StorageUploads =>
  queueOf(JSON.stringify([api.application, api.user]), () => new StorageUploads(api));

addEventListener('beforeunload', (event) => {
  if ([...queues.values()].some((queue) => queue.busy)) event.preventDefault();
});
