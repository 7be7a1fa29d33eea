import { PublicError } from '$/lib/public';

export type UploadResponse = { status: number; blob: Blob; retryAfter: string | null };
type UploadRequest = {
  method: string;
  url: string;
  body: BodyInit | null;
  type?: string;
  progress?: (share: number) => void;
  signal?: AbortSignal;
};

/** Sends a request with XMLHttpRequest, because fetch does not report upload progress. */
export function upload(request: UploadRequest): Promise<UploadResponse> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const cancelled = () => reject(new DOMException('cancelled', 'AbortError'));
    if (request.signal?.aborted) return cancelled();
    const abort = () => xhr.abort();
    request.signal?.addEventListener('abort', abort, { once: true });
    xhr.onloadend = () => request.signal?.removeEventListener('abort', abort);
    xhr.open(request.method, request.url);
    xhr.responseType = 'blob';
    if (request.type) xhr.setRequestHeader('Content-Type', request.type);
    if (request.progress)
      xhr.upload.onprogress = (event) => event.lengthComputable && request.progress?.(event.loaded / event.total);
    xhr.onload = () =>
      resolve({ status: xhr.status, blob: xhr.response as Blob, retryAfter: xhr.getResponseHeader('Retry-After') });
    xhr.onerror = () => reject(new PublicError('offline', 'The server cannot be reached.', 0));
    xhr.onabort = cancelled;
    xhr.send(request.body as XMLHttpRequestBodyInit | null);
  });
}
