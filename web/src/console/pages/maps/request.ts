import type { Parameters } from './explorer.svelte';

const KEY = '$KAISATSU_KEY';

/** The URL of the request with a placeholder for the key. */
export function asUrl(base: string, parameters: Parameters): string {
  return `${base}?APIKEY=${KEY}${Object.entries(parameters)
    .map(([name, value]) => `&${name}=${encodeURIComponent(value)}`)
    .join('')}`;
}

/** A parameter of curl, quoted and encoded where required by the shell or the URL. */
function data(name: string, value: string): string {
  if (/^[\w.-]+$/.test(value)) return `-d ${name}=${value}`;
  return `--data-urlencode '${name}=${value.replaceAll("'", "'\\''")}'`;
}

/** The request as a curl command: the key, the parameters and the output format on separate lines. */
export function asCurl(base: string, { id, gcs, ...parameters }: Parameters): string {
  const wanted = Object.entries(parameters)
    .map(([name, value]) => data(name, String(value)))
    .join(' ');
  const lines = [`curl -G '${base}'`, `-d "APIKEY=${KEY}" ${data('id', id)}`, wanted, data('gcs', gcs)];
  return lines.filter(Boolean).join(' \\\n  ');
}
