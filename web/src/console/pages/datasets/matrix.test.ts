import { expect, test } from 'vitest';
import type { DatasetImage, Health } from './dataset-api';
import { truncateToWidth, mixColours, MAX_SHOWN, resultsOf, shownTags, opacityOf, textWidth } from './matrix';

const images = (counts: Record<string, number>) =>
  Object.entries(counts).flatMap(([tag, count]) =>
    Array.from({ length: count }, () => ({ tag, outcome: 'fetched' }) as DatasetImage),
  );
const health = (confusions: Health['confusions'], leaveOneOut?: { judged: number; right: number }) =>
  ({ confusions, leaveOneOut }) as Health;

test('what was right is the judged images without those taken for something else', () => {
  const report = health([{ tag: 'cat', takenFor: 'dog', images: 2 }], { judged: 8, right: 6 });
  const results = resultsOf(report, images({ cat: 5, dog: 3, owl: 1 }));
  expect(results.tags.map(({ tag, judged, right }) => [tag, judged, right])).toEqual([
    ['cat', 5, 3],
    ['dog', 3, 3],
    ['owl', 0, 0],
  ]);
  expect(results.count('cat', 'dog')).toBe(2);
  expect(results.count('dog', 'cat')).toBe(0);
  expect(results.count('cat', 'cat')).toBe(3);
  expect(results.complete).toBe(true);
});

test('a report that lists only some of the confusions is incomplete', () => {
  const report = health([{ tag: 'cat', takenFor: 'dog', images: 1 }], { judged: 8, right: 5 });
  expect(resultsOf(report, images({ cat: 5, dog: 3 })).complete).toBe(false);
});

test('of many tags those that are confused most are shown, in the order of their names', () => {
  const counts = Object.fromEntries(Array.from({ length: MAX_SHOWN + 5 }, (_, index) => [`tag ${index}`, 2]));
  const report = health([{ tag: 'tag 64', takenFor: 'tag 63', images: 1 }]);
  const shown = shownTags(resultsOf(report, images(counts)), report).map(({ tag }) => tag);
  expect(shown).toHaveLength(MAX_SHOWN);
  expect(shown.slice(-2)).toEqual(['tag 63', 'tag 64']);
});

test('a larger share has a stronger colour', () => {
  expect([0, 0.04, 0.1, 0.3, 1].map(opacityOf)).toEqual([0, 0.08, 0.16, 0.38, 1]);
});

test('colours are mixColours', () => {
  expect(mixColours('#000000', '#ffffff', 0.5)).toBe('#808080');
  expect(mixColours('#f00', '#fff', 1)).toBe('#ff0000');
});

test('a long text is cut to its room, wide characters sooner', () => {
  expect(truncateToWidth('short', 100)).toBe('short');
  expect(truncateToWidth('a long English text', 60)).toBe('a long …');
  expect(truncateToWidth('長い日本語の文', 60)).toBe('長い日本…');
  expect(textWidth('猫')).toBeGreaterThan(textWidth('c'));
});
