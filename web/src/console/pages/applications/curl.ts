import { session } from '$/lib/session.svelte';

/** Commands for a terminal. `key` is a key or a reference to a shell variable. */
export const curl = {
  stations: (key: string) =>
    `curl "${location.origin}/${session.server.routeService}/v1/railmapDetail?APIKEY=${key}&id=tokyo&stationName=高円寺"`,
  classify: (key: string) =>
    `curl -F image=@photo.jpg "${location.origin}/imageRecognition/v1/concept/classify?APIKEY=${key}"`,
};
