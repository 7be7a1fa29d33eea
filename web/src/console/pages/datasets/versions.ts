import type { Dataset, DatasetImage } from './dataset-api';
import { countCharacters, isFinished, MAX_TAG_LENGTH } from './dataset-api';

/** The number of the version that answers. A dataset that was never changed has no number. */
export const versionOf = (dataset: Pick<Dataset, 'version'>) => dataset.version ?? 1;
/** Whether a new version is being built. */
export const isUpdating = ({ update }: Dataset) => update !== undefined && update.state !== 'failed';
/** Whether nothing is being built. */
export const isSettled = (dataset: Dataset) => isFinished(dataset) && !isUpdating(dataset);
export const canUndo = (dataset: Dataset) => dataset.update !== undefined || dataset.version !== undefined;

/** What building has come to: the dataset itself, or a new version of it. */
export type End = 'ready' | 'failed' | 'updated' | 'updateFailed';

/** What has ended between two looks at a dataset. A version that was dropped by undoing has not ended. */
export function endOf(before: Dataset, now: Dataset): End | null {
  if (!isFinished(before) && isFinished(now)) return now.state === 'ready' ? 'ready' : 'failed';
  if (!isUpdating(before)) return null;
  if (now.update?.state === 'failed') return 'updateFailed';
  return now.update === undefined && versionOf(now) !== versionOf(before) ? 'updated' : null;
}

export type TagCount = { tag: string; images: number };

/** The tags of a dataset in alphabetical order, also of images that could not be used. */
export function tagsOf(images: readonly Pick<DatasetImage, 'tag'>[]): TagCount[] {
  const counts = new Map<string, number>();
  for (const { tag } of images) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .map(([tag, images]) => ({ tag, images }))
    .sort((a, b) => a.tag.localeCompare(b.tag, undefined, { numeric: true }));
}

/** The tag that takes in the images of another one when that is renamed, or null if there is none of this name. */
export const mergesWith = (tags: readonly TagCount[], from: string, to: string): TagCount | null =>
  tags.find(({ tag }) => tag === to.trim() && tag !== from) ?? null;

export type NameProblem = 'missing' | 'long';

/** What is wrong with a name or a tag. */
export function problemOf(text: string, most = MAX_TAG_LENGTH): NameProblem | null {
  const length = countCharacters(text.trim());
  return length === 0 ? 'missing' : length > most ? 'long' : null;
}
