/**
 * Calls a function until it returns true. The interval starts when a call ends, and calls pause while the page is
 * hidden. Returns a function that stops polling.
 */
export function poll(attempt: (signal: AbortSignal) => Promise<boolean>, interval: number): () => void {
  const stop = new AbortController();
  const pause = () => new Promise((go) => setTimeout(go, interval));
  const visible = () =>
    new Promise<void>((go) => {
      if (document.visibilityState === 'visible') return go();
      document.addEventListener('visibilitychange', () => go(), { once: true, signal: stop.signal });
    });
  void (async () => {
    while (!stop.signal.aborted) {
      if (await attempt(stop.signal)) return;
      await pause();
      while (document.visibilityState !== 'visible' && !stop.signal.aborted) await visible();
    }
  })();
  return () => stop.abort();
}
