import { api as consoleApi } from '$/lib/console';
import type { Explanation } from '$sdk/index';
import type { PublicApi } from '$/lib/public';
import { isAbort } from '$/lib/error-message';
import { recognise, type RecognitionRequest, type Result } from './recognise';

export type { Explanation };
export type Verdict = { valid: boolean; comment: string };
/** A tag that was confirmed in place of a wrong one, with its score before if it was among the candidates. */
export type Confirmed = { tagId: string; name: string; before: number | null };
export type Rerun = { result: Result; explanation: Explanation };
/** Stands for the whole result in place of a candidate's id. */
export const WHOLE = '';

/**
 * The recognition of a picture, or the search for a text, with one set of parameters, its feedback, and the effect of
 * the feedback.
 */
export class RecognitionRun {
  readonly request: RecognitionRequest;
  busy = $state(false);
  error = $state.raw<unknown>(null);
  result = $state.raw<Result | null>(null);
  /** The latest verdict by candidate. */
  verdicts = $state.raw<Record<string, Verdict>>({});
  /** The candidate whose verdict is being sent. */
  sending = $state<string | null>(null);
  /** The picture recognised again after the latest verdict. */
  after = $state.raw<Rerun | null>(null);
  rerunning = $state(false);
  rerunError = $state.raw<unknown>(null);
  confirmed = $state.raw<Confirmed | null>(null);

  readonly #api: PublicApi;
  readonly #file: Blob | null;
  readonly #uiLanguage: 'en' | 'ja';
  #stop = new AbortController();

  constructor(api: PublicApi, request: RecognitionRequest, file: Blob | null, uiLanguage: 'en' | 'ja') {
    [this.#api, this.request, this.#file, this.#uiLanguage] = [api, request, file, uiLanguage];
  }

  /** Whether feedback has been sent or revoked since the picture was recognised. */
  get hasFeedback() {
    return this.after !== null || this.rerunning || this.rerunError !== null;
  }

  /** Verdicts on text change no score. */
  get #learns() {
    return this.request.task !== 'readText';
  }

  async start() {
    const signal = this.#renew();
    [this.busy, this.error] = [true, null];
    try {
      this.result = await recognise(this.#api, this.request, this.#file, this.#uiLanguage, signal);
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
  async sendVerdict(item: string, valid: boolean, comment = '') {
    if (!this.result || this.sending !== null) return;
    const { recognitionId } = this.result;
    const before = this.verdicts[item];
    this.sending = item;
    try {
      const verdict = { recognitionId, isValid: valid, ...(comment && { comment }) };
      await this.#api.call(({ recognition }, options) =>
        item === WHOLE
          ? recognition.feedback(verdict, options)
          : recognition.feedbackToCandidate({ ...verdict, itemId: item }, options),
      );
      this.verdicts = { ...this.verdicts, [item]: { valid, comment } };
    } finally {
      this.sending = null;
    }
    // A comment alone does not change scores.
    if (before?.valid !== valid && this.#learns) void this.rerun();
  }

  /** Confirms a tag of the model, also one that is not among the candidates. */
  async confirmTag(tagId: string, name: string) {
    if (!this.result || this.sending !== null) return;
    const { recognitionId, candidates } = this.result;
    this.sending = tagId;
    try {
      await this.#api.call(({ recognition }, options) =>
        recognition.feedback({ recognitionId, isValid: true, tag: tagId }, options),
      );
      const candidate = candidates.find((one) => one.subject === tagId);
      if (candidate) this.verdicts = { ...this.verdicts, [candidate.itemId]: { valid: true, comment: '' } };
      this.confirmed = { tagId, name, before: candidate?.score ?? null };
    } finally {
      this.sending = null;
    }
    void this.rerun();
  }

  /** Revokes a verdict. */
  async revoke(item: string) {
    if (!this.result || this.sending !== null) return;
    this.sending = item;
    try {
      await consoleApi.post('feedback/revoke', {
        body: { verdicts: [{ recognitionId: this.result.recognitionId, itemId: item === WHOLE ? null : item }] },
      });
      this.verdicts = Object.fromEntries(Object.entries(this.verdicts).filter(([key]) => key !== item));
    } finally {
      this.sending = null;
    }
    if (this.#learns) void this.rerun();
  }

  /** Recognises the picture again and fetches the explanation of its scores. */
  async rerun() {
    const signal = this.#renew();
    [this.rerunning, this.rerunError] = [true, null];
    try {
      const result = await recognise(this.#api, this.request, this.#file, this.#uiLanguage, signal);
      const { recognitionId } = result;
      const explanation = await this.#api.call(
        (client, options) => client.recognition.explain({ recognitionId }, options),
        { signal },
      );
      this.after = { result, explanation };
      this.rerunning = false;
    } catch (reason) {
      // Aborted by a newer call, which updates the state itself.
      if (!isAbort(reason)) [this.rerunError, this.rerunning] = [reason, false];
    }
  }

  #renew(): AbortSignal {
    this.#stop.abort();
    this.#stop = new AbortController();
    return this.#stop.signal;
  }
}
