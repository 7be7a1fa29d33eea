import type { PublicApi } from '$/lib/public';

/** Fetches thumbnails of collections and of the catalogue by their address in answers (`thumbnailUrl`). */
export const thumbnailLoader = (api: PublicApi) => async (address: string, signal: AbortSignal) => {
  const query = Object.fromEntries(new URL(address, location.origin).searchParams) as { id: string };
  const file = await api.call((client, options) => client.recognition.thumbnail(query, options), { signal });
  return file.content;
};
