import type { PublicApi } from '$/lib/public';
import { PublicError } from '$/lib/public';
import { isAbort } from '$/lib/wording';
import { calls, MOST_NAME, shorten, type StoredImage } from './calls';

export type Refusal = 'tooLarge' | 'notAPicture';
export type UploadState = 'waiting' | 'sending' | 'kept' | 'duplicate' | 'failed' | 'refused' | 'stopped';

/** The upload of one file to the storage area. */
export class Upload {
  readonly id: number;
  readonly file: File;
  readonly tag: string;
  readonly refusal: Refusal | null;
  state = $state<UploadState>('waiting');
  /** The share that has been sent, from 0 to 1. */
  share = $state(0);
  error = $state.raw<unknown>(null);
  stop = new AbortController();

  constructor(id: number, file: File, tag: string, refusal: Refusal | null) {
    this.id = id;
    this.file = file;
    this.tag = tag;
    this.refusal = refusal;
    if (refusal) this.state = 'refused';
  }
}

const AT_ONCE = 3;
const over = (state: UploadState) => state !== 'waiting' && state !== 'sending';

/** Uploads files for one user, three at a time. Uploads continue while other pages are open. */
export class UploadQueue {
  #api: PublicApi;
  #list = $state.raw<Upload[]>([]);
  #last = 0;
  #under = 0;
  #kept = new Set<string>();
  /** Receives every stored image, and knows whether an image was stored before. */
  listener: { isKnown: (imageId: string) => boolean; arrived: (image: StoredImage) => void } | null = null;

  readonly counts = $derived.by(() => {
    const counts: Record<UploadState, number> = {
      waiting: 0,
      sending: 0,
      kept: 0,
      duplicate: 0,
      failed: 0,
      refused: 0,
      stopped: 0,
    };
    for (const one of this.#list) counts[one.state] += 1;
    return counts;
  });
  readonly busy = $derived(this.counts.waiting + this.counts.sending > 0);
  /** The share of all bytes that has been sent, from 0 to 1. */
  readonly share = $derived.by(() => {
    let [sent, all] = [0, 0];
    for (const one of this.#list) {
      if (one.state === 'refused' || one.state === 'stopped') continue;
      all += one.file.size;
      sent += over(one.state) ? one.file.size : one.file.size * one.share;
    }
    return all === 0 ? 1 : sent / all;
  });

  constructor(api: PublicApi) {
    this.#api = api;
  }

  get list(): readonly Upload[] {
    return this.#list;
  }

  add(files: { file: File; tag: string; refusal: Refusal | null }[]) {
    this.#list = [...this.#list, ...files.map((one) => new Upload(++this.#last, one.file, one.tag, one.refusal))];
    this.#go();
  }

  retry(which: Upload[] = this.#list.filter((one) => one.state === 'failed' || one.state === 'stopped')) {
    for (const one of which) {
      one.stop = new AbortController();
      [one.state, one.share, one.error] = ['waiting', 0, null];
    }
    this.#go();
  }

  cancel(which: Upload[] = this.#list.filter((one) => !over(one.state))) {
    for (const one of which) {
      if (over(one.state)) continue;
      one.state = 'stopped';
      one.stop.abort();
    }
  }

  /** Removes finished uploads from the list. */
  clear() {
    this.#list = this.#list.filter((one) => !over(one.state));
  }

  #go() {
    for (const next of this.#list) {
      if (this.#under >= AT_ONCE) return;
      if (next.state === 'waiting') void this.#send(next);
    }
  }

  async #send(one: Upload) {
    this.#under += 1;
    one.state = 'sending';
    const stop = one.stop;
    try {
      const answer = await calls.upload(this.#api, one.file, one.tag, (share) => (one.share = share), stop.signal);
      const known = this.#kept.has(answer.imageId) || (this.listener?.isKnown(answer.imageId) ?? false);
      this.#kept.add(answer.imageId);
      one.state = known ? 'duplicate' : 'kept';
      const { imageId, sha256, width, height } = answer;
      this.listener?.arrived({
        imageId,
        sha256,
        width,
        height,
        bytes: one.file.size,
        tag: one.tag,
        name: shorten(one.file.name, MOST_NAME),
        createdAt: new Date().toISOString(),
      });
    } catch (reason) {
      // Cancelling has already set the state.
      if (!stop.signal.aborted && !isAbort(reason)) this.#fail(one, reason);
    } finally {
      this.#under -= 1;
      this.#go();
    }
  }

  #fail(one: Upload, reason: unknown) {
    [one.state, one.error] = ['failed', reason];
    // The server's limit has been reached, so the other uploads would fail as well.
    if (!(reason instanceof PublicError && reason.status === 429)) return;
    for (const other of this.#list) if (other.state === 'waiting') [other.state, other.error] = ['failed', reason];
  }
}

const queues = new Map<string, UploadQueue>();

/** The queue of a user. It exists until the document is reloaded. */
export function uploadsOf(api: PublicApi): UploadQueue {
  const key = JSON.stringify([api.application, api.user]);
  let queue = queues.get(key);
  if (!queue) queues.set(key, (queue = new UploadQueue(api)));
  return queue;
}

addEventListener('beforeunload', (event) => {
  if ([...queues.values()].some((queue) => queue.busy)) event.preventDefault();
});
