// How names are compared: like the server does it, and a little more generously.

const VARIANTS: Record<string, string> = { ヶ: 'ケ', ヵ: 'カ', ッ: 'ツ', っ: 'つ', 麴: '麹' };

/**
 * A name as it is compared: without spaces, punctuation and accents, in lower case, katakana as hiragana, and one form
 * of
 * the characters that are written in two.
 */
export function searchKey(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s・'’.\-‐〈〉()]/gu, '')
    .replace(/[ヶヵッっ麴]/gu, (character) => VARIANTS[character] ?? character)
    .replace(/[ァ-ヶ]/gu, (character) => String.fromCharCode(character.charCodeAt(0) - 0x60))
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/gu, '')
    .normalize('NFC');
}

export type Searchable = { code: number; name: string; yomi: string; translation?: string; formerly?: string[] };

/** The keys of what a station is called now, and of what it was called once. */
export type StationKeys = { current: string[]; former: string[] };

export const stationKeys = ({ name, yomi, translation, formerly }: Searchable): StationKeys => ({
  current: [name, yomi, translation ?? ''].map(searchKey),
  former: (formerly ?? []).map(searchKey),
});

/**
 * How well a station answers to a key, 0 being the best, or undefined if it does not. An equal name comes before one
 * that begins with the key, and that before one that contains it; a former name comes after a current one.
 */
export function matchRank(code: number, keys: StationKeys, wanted: string): number | undefined {
  if (String(code) === wanted) return 0;
  const rank = (key: string, penalty: number) => {
    const at = key ? key.indexOf(wanted) : -1;
    if (at < 0) return Infinity;
    const kind = key.length === wanted.length ? 0 : at === 0 ? 10 : 20;
    return kind + penalty + Math.min(key.length, 40) / 10;
  };
  const best = Math.min(...keys.current.map((key) => rank(key, 0)), ...keys.former.map((key) => rank(key, 5)));
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
  return stations
    .flatMap((station) => {
      const rank = matchRank(station.code, keysOf(station), wanted);
      return rank === undefined ? [] : [{ rank, station }];
    })
    .sort((one, other) => one.rank - other.rank || one.station.code - other.station.code)
    .slice(0, limit)
    .map(({ station }) => station);
}
