import type { IconName } from '$/components/Icon.svelte';

/** What the command palette can open. */
export type Entry = {
  /** Unique among all entries. */
  id: string;
  kind: 'page' | 'application' | 'dataset' | 'map';
  label: string;
  /** A second text that the search considers too, such as the id of a map. */
  detail?: string;
  icon: IconName;
  href: string;
};

/** The most entries that are shown. */
const MOST = 50;

/** Letters as they are compared: without case, width and accents. Japanese voicing marks count. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();

/** How well an entry fits a word: 0 where its label begins with it, 3 where only the detail contains it. */
function rank(entry: Entry, word: string): number | null {
  const label = plain(entry.label);
  if (label.startsWith(word)) return 0;
  if (label.split(/[\s\-_/・]+/).some((part) => part.startsWith(word))) return 1;
  if (label.includes(word)) return 2;
  return plain(entry.detail ?? '').includes(word) ? 3 : null;
}

/** The entries that contain every word of the search, the best first. Without a search, all in their order. */
export function find(entries: readonly Entry[], search: string): Entry[] {
  const words = plain(search).split(/\s+/).filter(Boolean);
  const ranked = entries.flatMap((entry, at) => {
    const ranks = words.map((word) => rank(entry, word));
    if (ranks.includes(null)) return [];
    return [{ entry, at, rank: Math.max(0, ...ranks.map(Number)) }];
  });
  ranked.sort((one, other) => one.rank - other.rank || one.at - other.at);
  return ranked.slice(0, MOST).map(({ entry }) => entry);
}

/** The position after a key: the list is a circle, Home and End lead to its ends. Null for other keys. */
export function move(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at - 1 + count) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return null;
}
