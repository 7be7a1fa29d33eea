import { isAbort } from '$/lib/wording';

/**
 * What a page shows, fetched anew whenever something changes that the fetching reads before its first await.
 * Of several under way only the last counts. The old value stays while a new one is on its way.
 *
 *     const usage = load((signal) => api.get('applications/{id}/usage', { path: { id }, query: { days }, signal }));
 *     {#if usage.error}<ErrorBox error={usage.error} retry={usage.again} />{:else if usage.value}…
 */
export function load<T>(fetching: (signal: AbortSignal) => Promise<T>) {
  let value = $state.raw<T | null>(null);
  let error = $state.raw<unknown>(null);
  let busy = $state(true);
  let turn = $state(0);

  $effect(() => {
    void turn;
    const stop = new AbortController();
    busy = true;
    fetching(stop.signal).then(
      (fresh) => {
        if (stop.signal.aborted) return;
        [value, error, busy] = [fresh, null, false];
      },
      (reason: unknown) => {
        if (stop.signal.aborted || isAbort(reason)) return;
        [error, busy] = [reason, false];
      },
    );
    return () => stop.abort();
  });

  return {
    get value() {
      return value;
    },
    /** For a change the server has confirmed, without asking it again. */
    set value(fresh: T | null) {
      value = fresh;
    },
    get error() {
      return error;
    },
    get busy() {
      return busy;
    },
    again: () => {
      turn += 1;
    },
  };
}
