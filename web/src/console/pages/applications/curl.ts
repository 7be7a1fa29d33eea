import { session } from '$/lib/session.svelte';

/** Lines to paste into a terminal. `key` is a key, or the name of a variable of the shell that holds it. */
export const curl = {
  stations: (key: string) =>
    `curl "${location.origin}/${session.server.routeService}/v1/railmapDetail?APIKEY=${key}&id=tokyo&stationName=高円寺"`,
  classify: (key: string) =>
    `curl -F image=@photo.jpg "${location.origin}/imageRecognition/v1/concept/classify?APIKEY=${key}"`,
};
