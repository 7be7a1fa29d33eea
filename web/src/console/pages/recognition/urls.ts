// URLs in catalogues and collections are not trusted. Only http and https URLs are linked, and only images of this
// server are embedded, because the content security policy blocks all others.

export function parseWebUrl(text: unknown): URL | null {
  if (typeof text !== 'string' || text === '') return null;
  try {
    const url = new URL(text, location.origin);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
  } catch {
    return null;
  }
}

export const isSameOrigin = (url: URL) => url.origin === location.origin;
