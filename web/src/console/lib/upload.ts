/** A `fetch` on XMLHttpRequest, because `fetch` itself does not report how much has been sent. */
export function fetchWithProgress(progress: (share: number) => void): typeof fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const { signal } = init;
      const xhr = new XMLHttpRequest();
      const cancelled = () => reject(new DOMException('cancelled', 'AbortError'));
      if (signal?.aborted) return cancelled();
      const abort = () => xhr.abort();
      signal?.addEventListener('abort', abort, { once: true });
      xhr.onloadend = () => signal?.removeEventListener('abort', abort);
      xhr.open(init.method ?? 'GET', input instanceof Request ? input.url : input);
      xhr.responseType = 'blob';
      new Headers(init.headers).forEach((value, name) => xhr.setRequestHeader(name, value));
      xhr.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
      xhr.onload = () => {
        const body = xhr.status === 204 ? null : (xhr.response as Blob);
        resolve(new Response(body, { status: xhr.status, headers: headersOf(xhr) }));
      };
      xhr.onerror = () => reject(new TypeError('The server cannot be reached.'));
      xhr.onabort = cancelled;
      xhr.send(init.body as XMLHttpRequestBodyInit | null);
    });
}

function headersOf(xhr: XMLHttpRequest): Headers {
  const lines = xhr.getAllResponseHeaders().trim().split(/\r?\n/);
  return new Headers(
    lines.flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1).trim()]] : [];
    }),
  );
}
