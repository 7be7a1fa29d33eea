import { expect, test } from 'vitest';
import type { Dataset } from './dataset-api';
import { canUndo, endOf, isSettled, mergesWith, problemOf, tagsOf } from './versions';

const ready = (more: Partial<Dataset> = {}) => ({ state: 'ready', ...more }) as Dataset;
const update = (state: 'queued' | 'building' | 'failed') => ({ update: { state } }) as Partial<Dataset>;

test('a dataset is settled when neither it nor a new version is being built', () => {
  expect(isSettled(ready())).toBe(true);
  expect(isSettled(ready(update('failed')))).toBe(true);
  expect(isSettled(ready(update('queued')))).toBe(false);
  expect(isSettled({ state: 'building' } as Dataset)).toBe(false);
});

test('there is something to undo once a dataset has been changed', () => {
  expect(canUndo(ready())).toBe(false);
  expect(canUndo(ready(update('building')))).toBe(true);
  expect(canUndo(ready(update('failed')))).toBe(true);
  expect(canUndo(ready({ version: 1 })), 'the first version, after undoing').toBe(true);
});

test('the end of a build is that of the dataset or of a new version', () => {
  const building = { state: 'building' } as Dataset;
  expect(endOf(building, ready())).toBe('ready');
  expect(endOf(building, { state: 'failed' } as Dataset)).toBe('failed');
  expect(endOf(ready(update('building')), ready({ version: 2 }))).toBe('updated');
  expect(endOf(ready(update('queued')), ready(update('failed')))).toBe('updateFailed');
  expect(endOf(ready(update('queued')), ready(update('building')))).toBe(null);
});

test('undoing is not the end of a build', () => {
  expect(endOf(ready(update('building')), ready()), 'dropped').toBe(null);
  expect(endOf(ready({ version: 2 }), ready({ version: 1 }))).toBe(null);
  expect(endOf(ready({ version: 2, ...update('failed') }), ready({ version: 2 }))).toBe(null);
});

test('tags are counted and sorted as people count', () => {
  expect(tagsOf([{ tag: 'cup 10' }, { tag: 'cup 9' }, { tag: 'cup 10' }])).toEqual([
    { tag: 'cup 9', images: 1 },
    { tag: 'cup 10', images: 2 },
  ]);
});

test('a tag merges with another one of its new name, not with itself', () => {
  const tags = tagsOf([{ tag: 'latte' }, { tag: 'mocha' }]);
  expect(mergesWith(tags, 'mocha', ' latte ')).toEqual({ tag: 'latte', images: 1 });
  expect(mergesWith(tags, 'mocha', 'mocha')).toBe(null);
  expect(mergesWith(tags, 'mocha', 'Latte'), 'tags are told apart by case').toBe(null);
});

test('names are counted in characters', () => {
  expect(problemOf('  ')).toBe('missing');
  expect(problemOf('☕'.repeat(100))).toBe(null);
  expect(problemOf('🍵'.repeat(100))).toBe(null);
  expect(problemOf('🍵'.repeat(101))).toBe('long');
  expect(problemOf('x'.repeat(150), 200)).toBe(null);
});
