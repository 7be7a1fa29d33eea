// How names are compared: like the server does it, and a little more generously.

const VARIANTS: Record<string, string> = { ヶ: 'ケ', ヵ: 'カ', ッ: 'ツ', っ: 'つ', 麴: '麹' };

/**
 * A name as it is compared: without spaces, punctuation and accents, in lower case, katakana as hiragana, and one form
 * of the characters that are written in two. Latin letters are without what spellings of Japanese differ in.
 */
export function searchKey(text: string): string {
  const key = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s・'’.\-‐〈〉()]/gu, '')
    .replace(/[ヶヵッっ麴]/gu, (character) => VARIANTS[character] ?? character)
    .replace(/[ァ-ヶ]/gu, (character) => String.fromCharCode(character.charCodeAt(0) - 0x60))
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/gu, '')
    .normalize('NFC');
  return /^[\u0020-\u007e]*$/u.test(key) ? shorten(key) : key;
}

/** Without long vowels (toukyou), double consonants (itchome, icchome), and m for n (shimbashi). */
const shorten = (latin: string) =>
  latin
    .replace(/ou/gu, 'o')
    .replace(/t(?=c)/gu, '')
    .replace(/([a-z])\1+/gu, '$1')
    .replace(/m(?=[bmp])/gu, 'n');

/**
 * The key of a name without the kana that join its words, which people write in several ways or leave out: 自由が丘 and
 * 自由ヶ丘, 御茶ノ水 and お茶の水, 四ツ谷 and 四谷.
 */
export const looseKey = (text: string) =>
  searchKey(text)
    .replace(/^お(?=[々\u3400-\u9fff])/u, '御')
    .replace(/(?<=.)[けが](?=[々\u3400-\u9fff])/gu, '')
    .replace(/(?<=[々\u3400-\u9fff])[つの](?=[々\u3400-\u9fff])/gu, '');

export type Searchable = {
  code: number;
  name: string;
  yomi: string;
  translation?: string;
  formerly?: string[];
  /** Its numbers on its lines: G09. */
  numbers?: string[];
};

/** The keys of what a station is called now, and of what it was called once. */
export type StationKeys = { current: string[]; former: string[]; loose: string[] };

export const stationKeys = ({ name, yomi, translation, formerly, numbers }: Searchable): StationKeys => ({
  current: [name, yomi, translation ?? '', ...(numbers ?? [])].map(searchKey),
  former: (formerly ?? []).map(searchKey),
  loose: [name, ...(formerly ?? [])].map(looseKey),
});

/**
 * How well a station answers to a key, 0 being the best, or undefined if it does not. An equal name comes before one
 * that begins with the key, and that before one that contains it; a former name comes after a current one.
 */
export function matchRank(code: number, keys: StationKeys, wanted: string, loose = wanted): number | undefined {
  if (String(code) === wanted) return 0;
  const rank = (key: string, penalty: number) => {
    const at = key ? key.indexOf(wanted) : -1;
    if (at < 0) return Infinity;
    const kind = key.length === wanted.length ? 0 : at === 0 ? 10 : 20;
    return kind + penalty + Math.min(key.length, 40) / 10;
  };
  const best = Math.min(...keys.current.map((key) => rank(key, 0)), ...keys.former.map((key) => rank(key, 5)));
  if (best < 10) return best;
  // Another spelling of the whole name comes before names that only begin alike.
  if (loose && keys.loose.includes(loose)) return 8;
  if (best < Infinity) return best;
  return wanted.length > 2 && String(code).startsWith(wanted) ? 30 : undefined;
}

/** The stations that answer to a text, the best first. */
export function findStations<S extends Searchable>(
  stations: readonly S[],
  text: string,
  limit: number,
  keysOf: (station: S) => StationKeys = stationKeys,
): S[] {
  const wanted = searchKey(text);
  if (!wanted) return [];
  const loose = looseKey(text);
  const found = stations
    .flatMap((station) => {
      const rank = matchRank(station.code, keysOf(station), wanted, loose);
      return rank === undefined ? [] : [{ rank, station }];
    })
    .sort((one, other) => one.rank - other.rank || one.station.code - other.station.code)
    .slice(0, limit)
    .map(({ station }) => station);
  const without = /(.+)駅$/u.exec(text.trim())?.[1];
  return found.length === 0 && without ? findStations(stations, without, limit, keysOf) : found;
}

/** The lines that have a text in their names, the shortest name first. One letter is not enough. */
export function findLines<L extends { name: string; translation?: string }>(
  lines: readonly L[],
  text: string,
  limit: number,
): L[] {
  const wanted = searchKey(text);
  if (wanted.length < 2) return [];
  const length = ({ name, translation }: L) => {
    const keys = [name, translation ?? ''].map(searchKey).filter((key) => key.includes(wanted));
    return keys.length > 0 ? Math.min(...keys.map((key) => key.length)) : undefined;
  };
  return lines
    .flatMap((line) => {
      const rank = length(line);
      return rank === undefined ? [] : [{ rank, line }];
    })
    .sort((one, other) => one.rank - other.rank)
    .slice(0, limit)
    .map(({ line }) => line);
}
