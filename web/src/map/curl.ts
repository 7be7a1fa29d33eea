import { languageQuery, type Language } from './network';

export type Datum = 'wgs84' | 'tokyo';

/** The curl command that asks the API for a station. */
export function stationCurl(
  origin: string,
  service: string,
  mapId: string,
  code: number,
  datum: Datum,
  language: Language = 'ja',
): string {
  const wanted = languageQuery(language).replace('?', '&');
  const query = `APIKEY=$APIKEY&id=${mapId}&stationCode=${code}&gcs=${datum}${wanted}`;
  return `curl "${origin}/${service}/v1/railmapDetail?${query}"`;
}
