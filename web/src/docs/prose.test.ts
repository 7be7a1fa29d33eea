import { expect, it } from 'vitest';
import { paragraphs } from './prose';

it('paragraphs, code and links', () => {
  expect(paragraphs('`id` alone\nselects. [See](/docs/x).\n\nAnother')).toEqual([
    [
      { kind: 'code', text: 'id' },
      { kind: 'text', text: ' alone selects. ' },
      { kind: 'link', text: 'See', address: '/docs/x' },
      { kind: 'text', text: '.' },
    ],
    [{ kind: 'text', text: 'Another' }],
  ]);
  expect(paragraphs('')).toEqual([]);
});

it('a link is never a script', () => {
  expect(paragraphs('[x](javascript:alert`1`)')).toEqual([[{ kind: 'text', text: 'x' }]]);
  expect(paragraphs('<b>x</b>')).toEqual([[{ kind: 'text', text: '<b>x</b>' }]]);
});
