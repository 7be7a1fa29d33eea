import { describe, expect, test } from 'vitest';
import { findLines, findStations, looseKey, matchRank, searchKey, stationKeys } from './search-key';

const stations = [
  { code: 1131215, name: '高円寺', yomi: 'こうえんじ', translation: 'Kōenji' },
  { code: 9951, name: '新高円寺', yomi: 'しんこうえんじ', translation: 'Shin-kōenji' },
  { code: 1130208, name: '新宿', yomi: 'しんじゅく', translation: 'Shinjuku' },
  { code: 9952, name: '新宿三丁目', yomi: 'しんじゅくさんちょうめ', translation: 'Shinjuku-sanchome' },
  { code: 9953, name: '西新宿', yomi: 'にししんじゅく', translation: 'Nishi-shinjuku' },
  { code: 9954, name: '四ツ谷', yomi: 'よつや', translation: 'Yotsuya' },
  { code: 9955, name: '四谷三丁目', yomi: 'よつやさんちょうめ', translation: 'Yotsuya-sanchōme' },
  { code: 9956, name: '御茶ノ水', yomi: 'おちゃのみず', translation: 'Ochanomizu' },
  { code: 9957, name: '自由が丘', yomi: 'じゆうがおか', translation: 'Jiyūgaoka' },
  { code: 9958, name: '新橋', yomi: 'しんばし', translation: 'Shimbashi' },
  { code: 2190, name: 'とうきょうスカイツリー', yomi: 'とうきょうすかいつりー', formerly: ['業平橋'] },
];
const found = (text: string) => findStations(stations, text, 8).map(({ name }) => name);

describe('the key of a name', () => {
  test.each([
    ['コウエンジ', 'こうえんじ'],
    ['ｺｳｴﾝｼﾞ', 'こうえんじ'],
    ['Kōenji', 'koenji'],
    ['Shin-Kōenji', 'shinkoenji'],
    [' 霞ヶ関 ', '霞け関'],
    ['霞ケ関', '霞け関'],
    ['四ッ谷', '四つ谷'],
    ['麴町', '麹町'],
    ['押上〈スカイツリー前〉', '押上すかいつりー前'],
    ['・', ''],
  ])('%s becomes %s', (text, key) => expect(searchKey(text)).toBe(key));
});

describe('stations are found', () => {
  test.each([
    ['by name', '高円寺', '高円寺'],
    ['by hiragana', 'こうえんじ', '高円寺'],
    ['by katakana', 'コウエンジ', '高円寺'],
    ['by half-width katakana', 'ﾄｳｷｮｳｽｶｲﾂﾘｰ', 'とうきょうスカイツリー'],
    ['by translation, without its accents', 'koenji', '高円寺'],
    ['by code', '1131215', '高円寺'],
    ['by the beginning of a code', '1131', '高円寺'],
    ['by a former name', '業平橋', 'とうきょうスカイツリー'],
    ['with the word for station', '新宿駅', '新宿'],
    ['without the kana between words', '四谷', '四ツ谷'],
    ['with other kana between words', '自由ヶ丘', '自由が丘'],
    ['in another spelling', 'お茶の水', '御茶ノ水'],
    ['in another romanisation', 'shinbashi', '新橋'],
    ['in a romanisation with long vowels', 'Shinjuku-sanchoume', '新宿三丁目'],
  ])('%s', (_, text, name) => expect(found(text)[0]).toBe(name));

  test('equal names first, then those that begin with the text, then those that contain it', () => {
    expect(found('新宿')).toEqual(['新宿', '新宿三丁目', '西新宿']);
  });

  test('as many as asked for', () => expect(findStations(stations, '新', 2)).toHaveLength(2));

  test('none for an empty or unknown text, or two digits of a code', () => {
    for (const text of ['', ' ・ ', '無', '11']) expect(found(text), text).toEqual([]);
  });
});

test('a former name ranks after a current one', () => {
  const keys = stationKeys({ code: 1, name: '新', yomi: 'しん', formerly: ['旧'] });
  const [current, former] = [matchRank(1, keys, '新'), matchRank(1, keys, '旧')];
  expect(current).toBeLessThan(former ?? 0);
});

test('a station is found by its number', () => {
  const ginza = { code: 7, name: '銀座', yomi: 'ぎんざ', numbers: ['G09', 'H09'] };
  for (const text of ['G09', 'g-09', 'H 09']) expect(findStations([ginza], text, 5), text).toEqual([ginza]);
});

test('lines are found by a part of their names, the shortest first', () => {
  const lines = ['JR中央線快速', 'JR山手線', 'JR中央線'].map((name) => ({ name }));
  const names = (text: string) => findLines(lines, text, 2).map(({ name }) => name);
  expect(names('山手線')).toEqual(['JR山手線']);
  expect(names('中央')).toEqual(['JR中央線', 'JR中央線快速']);
  expect(names('線')).toEqual([]);
});

test('kana that join words do not count, and others do', () => {
  for (const [one, other] of [
    ['つつじヶ丘', 'つつじが丘'],
    ['虎ノ門', '虎の門'],
    ['千駄ケ谷', '千駄谷'],
  ] as const) {
    expect(looseKey(one)).toBe(looseKey(other));
  }
  for (const name of ['がけ', 'のの', 'おおさか']) expect(looseKey(name)).toBe(searchKey(name));
});
