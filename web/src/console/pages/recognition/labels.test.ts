import { expect, test } from 'vitest';
import { readable, type Label } from './labels';

const label = (text: string, x: number, y: number, others: { x: number; y: number }[] = []): Label => ({
  x,
  y,
  width: 50,
  height: 20,
  text,
  others,
});

test('a label whose place is taken moves, and is left out where there is no room', () => {
  const first = label('first', 0, 0);
  const second = label('second', 10, 10, [
    { x: 40, y: 0 },
    { x: 50, y: 0 },
  ]);
  const third = label('third', 20, 10);
  const placed = readable([first, second, third]);
  expect([...placed.values()].map(({ text, x, y }) => [text, x, y])).toEqual([
    ['first', 0, 0],
    ['second', 50, 0],
  ]);
});
