import { PublicError, type PublicApi } from '$/lib/public';

/** A map in the list. The centre is a position where there is something to see. */
export type MapEntry = { id: string; name: string; centre: { x: number; y: number } | null };

/** The maps listed by railmapList. */
export async function listMaps(api: PublicApi, signal: AbortSignal): Promise<MapEntry[]> {
  const maps = await api.call((client, options) => client.maps.railmapList({}, options), { signal });
  return maps.map(({ id, name, points }) => {
    const mark = points[0]?.marks?.[0];
    return { id, name, centre: mark ? { x: mark.x, y: mark.y } : null };
  });
}

/** The maps listed by the public page, for accounts without an application. */
export async function listPublicMaps(signal: AbortSignal): Promise<MapEntry[]> {
  const response = await fetch('/map', { signal });
  if (!response.ok) throw new PublicError(String(response.status), `HTTP ${response.status}`, response.status);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  return [...page.querySelectorAll('a[href^="/map/"]')].map((link) => {
    const id = decodeURIComponent((link.getAttribute('href') ?? '').slice('/map/'.length));
    return { id, name: link.querySelector('strong')?.textContent ?? id, centre: null };
  });
}
