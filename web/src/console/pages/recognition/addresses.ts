// Catalogues and collections carry addresses that anybody may have written. Only the web is linked to, and only this
// server's own pictures are shown in the page: the content security policy allows no others.

export function webAddress(text: unknown): URL | null {
  if (typeof text !== 'string' || text === '') return null;
  try {
    const url = new URL(text, location.origin);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
  } catch {
    return null;
  }
}

export const isOwn = (url: URL) => url.origin === location.origin;
