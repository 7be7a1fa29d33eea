import { PublicError, type PublicApi } from '$/lib/public';

/** A map in the list. The centre is a position where there is something to see. */
export type MapEntry = { id: string; name: string; centre: { x: number; y: number } | null };

/** The maps listed by railmapList. */
export async function listMaps(api: PublicApi, signal: AbortSignal): Promise<MapEntry[]> {
  const { ResultSet } = await api.get('/route_service/v1/railmapList', {}, signal);
  return ResultSet.RailMap.map((map) => {
    const mark = map.Point[0]?.MarkCoordinates[0];
    return { id: map.id, name: map.Name, centre: mark ? { x: Number(mark.x), y: Number(mark.y) } : null };
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
