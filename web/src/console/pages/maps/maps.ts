import { PublicError, type PublicApi } from '$/lib/public';

/** A map in the list. The centre is a position where there is something to see. */
export type Listed = { id: string; name: string; middle: { x: number; y: number } | null };

/** The maps listed by railmapList. */
export async function listed(api: PublicApi, signal: AbortSignal): Promise<Listed[]> {
  const { ResultSet } = await api.get('/route_service/v1/railmapList', {}, signal);
  return ResultSet.RailMap.map((map) => {
    const mark = map.Point[0]?.MarkCoordinates[0];
    return { id: map.id, name: map.Name, middle: mark ? { x: Number(mark.x), y: Number(mark.y) } : null };
  });
}

/** The maps listed by the public page, for accounts without an application. */
export async function listedInPublic(signal: AbortSignal): Promise<Listed[]> {
  const answer = await fetch('/map', { signal });
  if (!answer.ok) throw new PublicError(String(answer.status), `HTTP ${answer.status}`, answer.status);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  return [...page.querySelectorAll('a[href^="/map/"]')].map((link) => {
    const id = decodeURIComponent((link.getAttribute('href') ?? '').slice('/map/'.length));
    return { id, name: link.querySelector('strong')?.textContent ?? id, middle: null };
  });
}
