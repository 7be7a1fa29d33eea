import { expect, test } from 'vitest';
import { Network, type MapData } from './network';

const station = (code: number, x: number, y: number) => ({
  code,
  name: `駅${code}`,
  yomi: '',
  place: [35 + code / 100, 139] as [number, number],
  boxes: [[x, y, 10, 10] as [number, number, number, number], [x + 20, y, 60, 16] as [number, number, number, number]],
  marks: 1,
});
const line = (code: number, runs: number[][], more = {}) => ({
  code,
  name: `線${code}`,
  color: '#123456',
  loop: false,
  runs,
  ...more,
});
const data: MapData = {
  id: 'small',
  language: 'ja',
  languages: ['ja'],
  name: 'small',
  edition: '',
  credits: '',
  tag: 't',
  width: 900,
  height: 600,
  tile: 512,
  levels: 3,
  deepest: 2,
  centre: 0,
  lineWidth: 6,
  stations: [station(1, 100, 100), station(2, 300, 100), station(3, 300, 300)],
  lines: [
    line(7, [
      [0, 1],
      [1, 2],
    ]),
    line(8, [[0, 1, 2]], { loop: true }),
    line(9, [[0, 2]], {
      paths: [
        [
          [0, 0],
          [5, 5],
        ],
      ],
    }),
  ],
};
const network = new Network(data);

test('a station is at the centre of its first mark, and knows its lines', () => {
  expect(network.stations[1]).toMatchObject({ code: 2, x: 305, y: 105 });
  expect(network.byCode.get('2')?.lines.map(({ code }) => code)).toEqual([7, 8]);
});

test('a line lists each of its stations once', () => {
  expect(network.lines[0]?.stations.map(({ code }) => code)).toEqual([1, 2, 3]);
});

test('the station at a position has a box there, or the nearest one within reach', () => {
  expect(network.stationAt(105, 105, 0)?.code).toBe(1);
  expect(network.stationAt(150, 108, 0)?.code).toBe(1);
  expect(network.stationAt(94, 105, 7)?.code).toBe(1);
  expect(network.stationAt(94, 105, 6)).toBeUndefined();
  // Nearer to station 2 than to the name of station 1.
  expect(network.stationAt(270, 105, 200)?.code).toBe(2);
});

test('the neighbours of a station are those beside it on a line', () => {
  const [first, second] = network.stations;
  const codes = (line: number) => network.neighbours(first!, network.lines[line]!).map(({ code }) => code);
  expect([codes(0), codes(1), codes(2)]).toEqual([[2], [3, 2], [3]]);
  expect(network.neighbours(second!, network.lines[2]!)).toEqual([]);
});

test('the station nearest to a place', () => {
  const near = network.nearest(35.021, 139);
  expect(near?.station.code).toBe(2);
  expect(Math.round((near?.metres ?? 0) / 10)).toBe(11);
});

test('a line goes straight from station to station, closed if it is a loop, or along its paths', () => {
  const [straight, loop, drawn] = network.lines.map((one) => network.paths(one));
  expect(straight).toEqual([
    [
      [105, 105],
      [305, 105],
    ],
    [
      [305, 105],
      [305, 305],
    ],
  ]);
  expect(loop?.[0]).toHaveLength(4);
  expect(loop?.[0]?.at(-1)).toEqual([105, 105]);
  expect(drawn).toEqual([
    [
      [0, 0],
      [5, 5],
    ],
  ]);
});
