import { expect, test } from 'vitest';
import type { DatasetImage } from './dataset-api';
import { nameOf } from './image-name';

test.each([
  ['', 'latte-1.jpg', 'latte-1.jpg'],
  ['https://a.example/cups/latte%201.jpg?size=2', undefined, 'latte 1.jpg'],
  ['https://a.example/%E3%82', undefined, '%E3%82'],
  ['https://a.example/', '', ''],
  ['', undefined, ''],
])('the image at “%s” with the name %s is called “%s”', (url, name, called) =>
  expect(nameOf({ url, ...(name !== undefined && { name }) } as DatasetImage)).toBe(called),
);
