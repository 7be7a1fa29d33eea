import { expect, test } from 'vitest';
import { find, move, type Entry } from './palette';

const entry = (id: string, label: string, detail?: string): Entry => ({
  id,
  kind: 'page',
  label,
  detail,
  icon: 'maps',
  href: `/${id}`,
});
const all = [
  entry('1', 'Route maps'),
  entry('2', 'Maps of Tōkyō', 'tokyo'),
  entry('3', '関西', 'kansai'),
  entry('4', 'Cafe Ｋａｎｓａｉ'),
];
const ids = (search: string) => find(all, search).map(({ id }) => id);

test('entries are found by every word, whatever the case, width and accents', () => {
  expect(ids('')).toEqual(['1', '2', '3', '4']);
  expect(ids('maps')).toEqual(['2', '1']);
  expect(ids('TOKYO')).toEqual(['2']);
  expect(ids('kansai')).toEqual(['4', '3']);
  expect(ids('maps tok')).toEqual(['2']);
  expect(ids('関')).toEqual(['3']);
  expect(ids('nothing')).toEqual([]);
});

test('voicing marks of kana are letters of their own', () => {
  expect(find([entry('か', 'か'), entry('が', 'が')], 'が').map(({ id }) => id)).toEqual(['が']);
});

test('keys move around the list', () => {
  expect([move('ArrowDown', 2, 3), move('ArrowUp', 0, 3), move('Home', 2, 3), move('End', 0, 3)]).toEqual([0, 2, 0, 2]);
  expect([move('ArrowDown', 0, 0), move('a', 0, 3)]).toEqual([null, null]);
});
