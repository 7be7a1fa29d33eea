import { expect, test, vi } from 'vitest';
import type { ImageSource, StoredImage } from './dataset-api';
import { countTags, fromStorage, imagesProblem } from './image-sources';

vi.mock('$/lib/public', () => ({}));

const tagged = (...tags: string[]): ImageSource[] => tags.map((tag, at) => ({ imageId: `img_${at}`, tag }));

test('the tag that was entered here counts, without spaces around it', () => {
  const images = [
    { imageId: 'a', tag: 'cat' },
    { imageId: 'b', tag: '' },
  ] as StoredImage[];
  expect(fromStorage(images, new Map([['b', ' dog ']]))).toEqual([
    { imageId: 'a', tag: 'cat' },
    { imageId: 'b', tag: 'dog' },
  ]);
  expect(countTags(tagged('b', 'a', 'c', 'c')), 'most images first, then by name').toEqual([
    { tag: 'c', images: 2 },
    { tag: 'a', images: 1 },
    { tag: 'b', images: 1 },
  ]);
});

test('what the server would refuse is said before', () => {
  expect(imagesProblem(tagged('cat', 'dog'), 10)).toBeNull();
  expect(imagesProblem(tagged('cat', ''), 10)).toBe('1 image has no tag.');
  expect(imagesProblem(tagged('c'.repeat(101)), 10)).toBe('A tag must have at most 100 characters.');
  expect(imagesProblem(tagged('cat', 'dog'), 10, { images: 8, tags: ['cat'] }), 'exactly full').toBeNull();
  expect(imagesProblem(tagged('cat', 'dog'), 10, { images: 9, tags: ['cat'] })).toMatch(/Too many images \(11\)/);
});

test('a tag that the dataset has already is not counted again', () => {
  const tags = Array.from({ length: 999 }, (_, at) => `tag ${at}`);
  expect(imagesProblem(tagged('tag 5', 'new'), 5000, { images: 999, tags })).toBeNull();
  expect(imagesProblem(tagged('tag 5', 'new', 'newer'), 5000, { images: 999, tags })).toMatch(
    /Too many tags \(1,001\)/,
  );
});
