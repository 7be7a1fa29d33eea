import type { Parameters } from './explorer.svelte';

const KEY = '$KAISATSU_KEY';

/** The request as an address; whoever uses it puts their key in. */
export function asUrl(base: string, parameters: Parameters): string {
  return `${base}?APIKEY=${KEY}${Object.entries(parameters)
    .map(([name, value]) => `&${name}=${encodeURIComponent(value)}`)
    .join('')}`;
}

/** A parameter of curl; what may mean something to a shell or in an address is quoted and encoded. */
function data(name: string, value: string): string {
  if (/^[\w.-]+$/.test(value)) return `-d ${name}=${value}`;
  return `--data-urlencode '${name}=${value.replaceAll("'", "'\\''")}'`;
}

/** The request as a command: the key, what is asked for, and how it is to be written, each on a line. */
export function asCurl(base: string, { id, gcs, ...asked }: Parameters): string {
  const wanted = Object.entries(asked)
    .map(([name, value]) => data(name, String(value)))
    .join(' ');
  const lines = [`curl -G '${base}'`, `-d "APIKEY=${KEY}" ${data('id', id)}`, wanted, data('gcs', gcs)];
  return lines.filter(Boolean).join(' \\\n  ');
}
