import { describe, expect, test } from 'vitest';
import { formatOf, parseList, placeOfLine, withoutLines } from './parse';

const pairs = (text: string) => parseList(text).rows.map(({ url, tag }) => [url, tag]);
const problems = (text: string) => parseList(text).problems.map(({ problem }) => problem);

describe('the format of a list', () => {
  test.each([
    [['https://a.example/1.png cat'], 'spaces'],
    [['https://a.example/1.png black, small cat'], 'spaces'],
    [['https://a.example/1.png,cat'], 'csv'],
    [['cat,https://a.example/1.png'], 'csv'],
    [['url,tag'], 'csv'],
    [['https://a.example/1.png\tcat'], 'tsv'],
    [['# a comment\twith a tab', 'https://a.example/1.png cat'], 'spaces'],
  ] as const)('%j is %s', (lines, format) => expect(formatOf([...lines])).toBe(format));
});

describe('a list is read', () => {
  test('with the address or the tag first, without comments, empty lines and headers', () => {
    const csv = '\ufeffurl,tag\r\nhttps://a.example/1.png,cat\r\n\r\n# no\r\ndog,https://a.example/2.png';
    expect(pairs(csv)).toEqual([
      ['https://a.example/1.png', 'cat'],
      ['https://a.example/2.png', 'dog'],
    ]);
  });

  test('with quotes in CSV', () => {
    expect(pairs('https://a.example/1.png,"black, ""small"" cat"')).toEqual([
      ['https://a.example/1.png', 'black, "small" cat'],
    ]);
  });

  test('with spaces in tags', () => {
    expect(pairs('https://a.example/1.png black cat')).toEqual([['https://a.example/1.png', 'black cat']]);
  });

  test('with the lines that repeat an address', () => {
    const { repeated } = parseList('https://a.example/1.png a\n\nhttps://a.example/1.png b');
    expect(repeated).toEqual([{ line: 3, before: 1 }]);
  });
});

describe('what cannot be used is named', () => {
  test.each([
    ['https://a.example/1.png', 'noTag'],
    ['cat', 'noUrl'],
    ['ftp://a.example/1.png cat', 'notHttp'],
    ['https://user:secret@a.example/1.png cat', 'credentials'],
    [`https://a.example/${'x'.repeat(3000)} cat`, 'urlLong'],
    [`https://a.example/1.png ${'x'.repeat(300)}`, 'tagLong'],
    ['https://a.example/1.png a\u0007b', 'control'],
  ])('%.40s: %s', (text, problem) => expect(problems(text)).toEqual([problem]));
});

test('lines are found and removed by their numbers', () => {
  expect(withoutLines('a\r\nb\nc', new Set([2]))).toBe('a\nc');
  expect(placeOfLine('ab\ncd\nef', 2)).toEqual([3, 5]);
});
