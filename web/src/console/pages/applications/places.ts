/** The most places of a key. */
export const MAX_PLACES = 50;

const ORIGIN = /^https?:\/\/[A-Za-z0-9._:[\]-]+$/;
const NUMBER = '(0|[1-9]\\d{0,2})';
const IPV4 = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}\\.${NUMBER}$`);

function isAddress(text: string): boolean {
  const parts = IPV4.exec(text)?.slice(1);
  if (parts) return parts.every((part) => Number(part) <= 255);
  return text.includes(':') && URL.canParse(`http://[${text}]/`);
}

/**
 * Whether it is an origin of web pages, an address or a network. An origin has to be written as browsers send it: with
 * a default port, for instance, it would never match.
 */
export function isPlace(text: string): boolean {
  if (text.includes('://'))
    return ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text.toLowerCase();
  const [address = '', prefix, ...rest] = text.split('/');
  if (rest.length > 0 || !isAddress(address)) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (address.includes(':') ? 128 : 32));
}

/** The places of a text, one per line or separated by commas. */
export const placesIn = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');
