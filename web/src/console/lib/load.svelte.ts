import { isAbort } from '$/lib/error-message';

/**
 * Loads data and reloads it whenever reactive state changes that the function reads before its first await. A new
 * request cancels the previous one. The previous value stays until the new one has arrived.
 *
 *     const usage = load((signal) => api.get('applications/{id}/usage', { path: { id }, query: { days }, signal }));
 *     {#if usage.error}<ErrorBox error={usage.error} retry={usage.reload} />{:else if usage.value}…
 */
export function load<T>(fetchData: (signal: AbortSignal) => Promise<T>) {
  let value = $state.raw<T | null>(null);
  let error = $state.raw<unknown>(null);
  let busy = $state(true);
  let version = $state(0);

  $effect(() => {
    void version;
    const stop = new AbortController();
    busy = true;
    fetchData(stop.signal).then(
      (loaded) => {
        if (stop.signal.aborted) return;
        [value, error, busy] = [loaded, null, false];
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
    /** Applies a change that the server has confirmed, without fetching again. */
    set value(loaded: T | null) {
      value = loaded;
    },
    get error() {
      return error;
    },
    get busy() {
      return busy;
    },
    reload: () => {
      version += 1;
    },
  };
}
