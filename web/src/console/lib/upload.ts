import { PublicError } from '$/lib/public';

export type Sent = { status: number; blob: Blob; retryAfter: string | null };
type Sending = {
  method: string;
  url: string;
  body: BodyInit | null;
  type?: string;
  progress?: (share: number) => void;
  signal?: AbortSignal;
};

/** Sends a request with XMLHttpRequest, because fetch does not report upload progress. */
export function upload(request: Sending): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const stopped = () => reject(new DOMException('stopped', 'AbortError'));
    if (request.signal?.aborted) return stopped();
    const stop = () => xhr.abort();
    request.signal?.addEventListener('abort', stop, { once: true });
    xhr.onloadend = () => request.signal?.removeEventListener('abort', stop);
    xhr.open(request.method, request.url);
    xhr.responseType = 'blob';
    if (request.type) xhr.setRequestHeader('Content-Type', request.type);
    if (request.progress)
      xhr.upload.onprogress = (event) => event.lengthComputable && request.progress?.(event.loaded / event.total);
    xhr.onload = () =>
      resolve({ status: xhr.status, blob: xhr.response as Blob, retryAfter: xhr.getResponseHeader('Retry-After') });
    xhr.onerror = () => reject(new PublicError('offline', 'The server cannot be reached.', 0));
    xhr.onabort = stopped;
    xhr.send(request.body as XMLHttpRequestBodyInit | null);
  });
}
