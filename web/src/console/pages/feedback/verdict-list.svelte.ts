import { api, type Verdict } from '$/lib/console';
import { isAbort } from '$/lib/error-message';

export type Filter = { application: string; model: string; standing: string; search: string; comments: boolean };
export const keyOf = (verdict: Verdict) => `${verdict.recognitionId}/${verdict.itemId ?? ''}`;
export const revocable = (verdict: Verdict) => verdict.standing !== 'revoked';

/** The most verdicts that the server revokes per request. */
const BATCH_SIZE = 200;

/** Loads verdicts page by page, newest first, keeps the selection and revokes verdicts. */
export class VerdictList {
  list = $state.raw<Verdict[] | null>(null);
  error = $state.raw<unknown>(null);
  /** The error of loading older verdicts. The loaded ones stay visible. */
  olderError = $state.raw<unknown>(null);
  busy = $state(false);
  #before = $state<string | null>(null);
  #selected = $state.raw<ReadonlySet<string>>(new Set());
  #filter: Filter = { application: '', model: '', standing: '', search: '', comments: false };
  #stop = new AbortController();

  get hasMore() {
    return this.#before !== null;
  }
  /** Only listed verdicts can be selected. */
  get selected(): Verdict[] {
    return (this.list ?? []).filter((one) => this.#selected.has(keyOf(one)) && revocable(one));
  }
  get selectable(): Verdict[] {
    return (this.list ?? []).filter(revocable);
  }

  isSelected(verdict: Verdict) {
    return this.#selected.has(keyOf(verdict));
  }
  select(verdicts: Verdict[], selected: boolean) {
    const next = new Set(this.#selected);
    for (const verdict of verdicts) {
      if (selected) next.add(keyOf(verdict));
      else next.delete(keyOf(verdict));
    }
    this.#selected = next;
  }
  clear() {
    this.#selected = new Set();
  }

  /** Loads the first page. The previous list stays until the response arrives. */
  async load(filter: Filter) {
    this.#filter = filter;
    this.#stop.abort();
    const stop = (this.#stop = new AbortController());
    [this.busy, this.olderError] = [true, null];
    try {
      const page = await this.#page(null, stop.signal);
      [this.list, this.#before, this.error] = [page.verdicts, page.before, null];
      this.clear();
    } catch (reason) {
      if (isAbort(reason)) return;
      this.error = reason;
    }
    if (stop === this.#stop) this.busy = false;
  }

  /** Loads the next page and returns its length. */
  async loadOlder(): Promise<number> {
    const { signal } = this.#stop;
    if (this.busy || this.#before === null) return 0;
    [this.busy, this.olderError] = [true, null];
    try {
      const page = await this.#page(this.#before, signal);
      const known = new Set((this.list ?? []).map(keyOf));
      const added = page.verdicts.filter((one) => !known.has(keyOf(one)));
      [this.list, this.#before] = [[...(this.list ?? []), ...added], page.before];
      return added.length;
    } catch (reason) {
      if (!isAbort(reason)) this.olderError = reason;
      return 0;
    } finally {
      if (!signal.aborted) this.busy = false;
    }
  }

  /** Revokes verdicts, marks them and returns how many were revoked. */
  async revoke(verdicts: Verdict[]): Promise<number> {
    let revoked = 0;
    for (let from = 0; from < verdicts.length; from += BATCH_SIZE) {
      const part = verdicts.slice(from, from + BATCH_SIZE);
      const response = await api.post('feedback/revoke', {
        body: { verdicts: part.map(({ recognitionId, itemId }) => ({ recognitionId, itemId })) },
      });
      revoked += response.revoked;
      const revokedKeys = new Set(part.map(keyOf));
      this.list = (this.list ?? []).map((one) =>
        revokedKeys.has(keyOf(one)) ? { ...one, standing: 'revoked' as const } : one,
      );
      this.select(part, false);
    }
    return revoked;
  }

  stop() {
    this.#stop.abort();
  }

  #page(before: string | null, signal: AbortSignal) {
    const { application, model, standing, search, comments } = this.#filter;
    return api.get('feedback', {
      query: { application, model, standing, search, before: before ?? '', ...(comments ? { comments } : {}) },
      signal,
    });
  }
}
