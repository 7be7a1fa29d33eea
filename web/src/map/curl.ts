export type Datum = 'wgs84' | 'tokyo';

/** The curl command that asks the API for a station. */
export function stationCurl(origin: string, service: string, mapId: string, code: number, datum: Datum): string {
  const query = `APIKEY=$APIKEY&id=${mapId}&stationCode=${code}&gcs=${datum}`;
  return `curl "${origin}/${service}/v1/railmapDetail?${query}"`;
}
