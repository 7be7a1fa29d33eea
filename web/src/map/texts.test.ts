import { expect, test } from 'vitest';
import { displayName } from '$shared/display-name';
import { plural } from '$shared/plural';
import { toText } from '$shared/text';
import { stationCurl } from './curl';
import { describe } from './search-box';
import { retryDelay, tileKey } from './tile-loader';

test('the curl command has the parameters of railmapDetail, and a variable for the key', () => {
  expect(stationCurl('http://127.0.0.1:8640', 'route_service', 'tokyo', 1131215, 'wgs84')).toBe(
    'curl "http://127.0.0.1:8640/route_service/v1/railmapDetail?APIKEY=$APIKEY&id=tokyo&stationCode=1131215&gcs=wgs84"',
  );
});

test('a suggestion describes what a station is called besides its name', () => {
  const messages = { formerly: (names: string) => `Formerly ${names}`, count: String };
  const station = {
    code: 1,
    name: '駅',
    yomi: 'えき',
    place: [0, 0] as [number, number],
    boxes: [],
    marks: 0,
    x: 0,
    y: 0,
    lines: [],
  };
  expect(describe({ ...station, translation: 'Ō-machi' }, messages)).toBe('えき · Ō-machi');
  expect(describe({ ...station, formerly: ['甲', '乙'] }, messages)).toBe('えき · Formerly 甲、乙');
});

test('readers of English see the translation, if there is one', () => {
  expect(displayName({ name: '東京', translation: 'Tokyo' }, false)).toBe('Tokyo');
  expect(displayName({ name: '東京', translation: 'Tokyo' }, true)).toBe('東京');
  expect(displayName({ name: '東京' }, false)).toBe('東京');
});

test('a tile is tried again after ever longer pauses, at most eight seconds', () => {
  expect([1, 2, 3, 4, 5, 6, 100].map(retryDelay)).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
});

test('the key of a tile is the end of its address', () => {
  expect(tileKey('dark', { z: 5, x: 18, y: 13 })).toBe('dark/5/18/13');
});

test('counts have a singular, a plural and thousands separators', () => {
  expect([0, 1, 1204].map((count) => plural(count, 'station', 'stations'))).toEqual([
    '0 stations',
    '1 station',
    '1,204 stations',
  ]);
});

test('values become text: strings as they are, others as JSON', () => {
  expect(['a b', 5, true, { a: 1 }].map(toText)).toEqual(['a b', '5', 'true', '{"a":1}']);
});
