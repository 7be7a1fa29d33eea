/** The most places of a key. */
export const MAX_PLACES = 50;

const ORIGIN = /^https?:\/\/[A-Za-z0-9._:[\]-]+$/;
const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

function isAddress(text: string): boolean {
  const parts = IPV4.exec(text)?.slice(1);
  if (parts) return parts.every((part) => Number(part) <= 255);
  return text.includes(':') && URL.canParse(`http://[${text}]/`);
}

/** Whether the server takes it as an origin of web pages, an address or a network. */
export function isPlace(text: string): boolean {
  if (text.includes('://')) return ORIGIN.test(text) && URL.canParse(text);
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
