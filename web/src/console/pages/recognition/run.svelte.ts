import { api as consoleApi } from '$/lib/console';
import type { PublicAnswer, PublicApi } from '$/lib/public';
import { isAbort } from '$/lib/wording';
import { recognise, type Ask, type Result } from './functions';

export type Explanation = PublicAnswer<'get', '/imageRecognition/v1/explain'>;
export type Said = { valid: boolean; comment: string };
export type After = { result: Result; explanation: Explanation };
/** Stands for the whole result in place of a candidate's id. */
export const WHOLE = '';

/** The recognition of a picture with one set of parameters, its feedback, and the effect of the feedback. */
export class Run {
  readonly ask: Ask;
  busy = $state(false);
  error = $state.raw<unknown>(null);
  result = $state.raw<Result | null>(null);
  /** The latest verdict by candidate. */
  said = $state.raw<Record<string, Said>>({});
  /** The candidate whose verdict is being sent. */
  saying = $state<string | null>(null);
  /** The picture recognised again after the latest verdict. */
  after = $state.raw<After | null>(null);
  looking = $state(false);
  lookError = $state.raw<unknown>(null);

  readonly #api: PublicApi;
  readonly #file: Blob;
  readonly #own: 'en' | 'ja';
  #stop = new AbortController();

  constructor(api: PublicApi, ask: Ask, file: Blob, own: 'en' | 'ja') {
    [this.#api, this.ask, this.#file, this.#own] = [api, ask, file, own];
  }

  /** Whether feedback has been sent or revoked since the picture was recognised. */
  get touched() {
    return this.after !== null || this.looking || this.lookError !== null;
  }

  async start() {
    const signal = this.#renew();
    [this.busy, this.error] = [true, null];
    try {
      this.result = await recognise(this.#api, this.ask, this.#file, this.#own, signal);
    } catch (reason) {
      if (!isAbort(reason)) this.error = reason;
    } finally {
      this.busy = false;
    }
  }

  stop() {
    this.#stop.abort();
  }

  /**
   * Sends feedback on a candidate or the whole result. It takes effect with the next request, so the picture is
   * recognised again.
   */
  async say(item: string, valid: boolean, comment = '') {
    if (!this.result || this.saying !== null) return;
    const { recognitionId } = this.result;
    const before = this.said[item];
    this.saying = item;
    try {
      const body = new Blob([JSON.stringify(comment ? { comment } : {})], { type: 'application/json' });
      if (item === WHOLE)
        await this.#api.upload('/imageRecognition/v1/feedback', body, { query: { recognitionId, isValid: valid } });
      else
        await this.#api.upload('/imageRecognition/v1/feedbackToCandidate', body, {
          query: { recognitionId, itemId: item, isValid: valid },
        });
      this.said = { ...this.said, [item]: { valid, comment } };
    } finally {
      this.saying = null;
    }
    // A comment alone does not change scores.
    if (before?.valid !== valid) void this.look();
  }

  /** Revokes a verdict. */
  async takeBack(item: string) {
    if (!this.result || this.saying !== null) return;
    this.saying = item;
    try {
      await consoleApi.post('feedback/revoke', {
        body: { verdicts: [{ recognitionId: this.result.recognitionId, itemId: item === WHOLE ? null : item }] },
      });
      this.said = Object.fromEntries(Object.entries(this.said).filter(([key]) => key !== item));
    } finally {
      this.saying = null;
    }
    void this.look();
  }

  /** Recognises the picture again and fetches the explanation of its scores. */
  async look() {
    const signal = this.#renew();
    [this.looking, this.lookError] = [true, null];
    try {
      const result = await recognise(this.#api, this.ask, this.#file, this.#own, signal);
      const explanation = await this.#api.get(
        '/imageRecognition/v1/explain',
        { recognitionId: result.recognitionId },
        signal,
      );
      this.after = { result, explanation };
      this.looking = false;
    } catch (reason) {
      // Aborted by a newer call, which updates the state itself.
      if (!isAbort(reason)) [this.lookError, this.looking] = [reason, false];
    }
  }

  #renew(): AbortSignal {
    this.#stop.abort();
    this.#stop = new AbortController();
    return this.#stop.signal;
  }
}
