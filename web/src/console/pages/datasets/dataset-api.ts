import type { DataSet as Dataset, DataSetChanges, ImageOutcome as DatasetImage, StoredImage } from '$sdk/index';
import type { PublicApi } from '$/lib/public';

export type { Dataset, DataSetChanges, DatasetImage, StoredImage };
/** A dataset may contain a stored image twice, so images are identified by their position. */
export type PositionedImage = DatasetImage & { position: number };
export type ImageSource = { url: string; tag: string } | { imageId: string; tag: string };

export const OUTCOMES = [
  'pending',
  'fetched',
  'notFound',
  'tooLarge',
  'notAnImage',
  'timedOut',
  'denied',
  'overQuota',
  'failed',
] as const;
export type Outcome = (typeof OUTCOMES)[number];
export const isOutcome = (text: string): text is Outcome => (OUTCOMES as readonly string[]).includes(text);

/**
 * The health report of a dataset that is ready. Its fields are described in docs/datasets.md; the OpenAPI document
 * declares it as an object only.
 */
export type Health = {
  images: number;
  tags: number;
  method: 'nearestMean' | 'linearProbe' | null;
  leaveOneOut: { accuracy: number | null; right: number; judged: number } | null;
  confusions: { tag: string; takenFor: string; images: number }[];
  likelyMislabelled: { imageId: string; tag: string; looksLike: string; score: number }[];
  nearDuplicates: { imageIds: [string, string]; tags: [string, string]; score: number; sameBytes: boolean }[];
  tagsWithFewImages: { tag: string; images: number }[];
};

export const healthOf = (dataset: Dataset): Health | null =>
  dataset.health ? (dataset.health as unknown as Health) : null;
export const isFinished = (dataset: Dataset) => dataset.state === 'ready' || dataset.state === 'failed';

/** Limits of the server in characters, which it counts as code points and not UTF-16 code units. */
export const MAX_TAG_LENGTH = 100;
export const MAX_NAME_LENGTH = 200;
export const MAX_URL_LENGTH = 2000;
export const MAX_TAGS = 1000;
/** The health report warns about tags with fewer images. */
export const FEW_IMAGES = 5;
export const countCharacters = (text: string) => [...text].length;
/** Truncates a text to the limit of the server. */
export const shorten = (text: string, most: number) =>
  [...text.replace(/\p{Cc}/gu, ' ').trim()].slice(0, most).join('').trim();

/** The largest page size of lists. */
const PAGE = 1000;

export const datasetApi = {
  listImages: (api: PublicApi, cursor: string | undefined, signal?: AbortSignal) =>
    api.call(
      (client, options, token) => client.images.list({ token, ...(cursor && { cursor }), limit: PAGE }, options),
      { signal },
    ),
  deleteImage: (api: PublicApi, imageId: string) =>
    api.call((client, options, token) => client.images.delete({ token, imageId }, options)),
  thumbnail: (api: PublicApi, imageId: string, signal?: AbortSignal) =>
    api
      .call((client, options, token) => client.images.get({ token, imageId, size: 'thumbnail' }, options), { signal })
      .then(({ content }) => content),
  original: (api: PublicApi, imageId: string, signal?: AbortSignal) =>
    api
      .call((client, options, token) => client.images.get({ token, imageId }, options), { signal })
      .then(({ content }) => content),
  upload(api: PublicApi, file: File, tag: string, progress: (share: number) => void, signal: AbortSignal) {
    const name = shorten(file.name, MAX_NAME_LENGTH);
    return api.call(
      (client, options, token) =>
        client.images.upload({ token, image: file, ...(tag && { tag }), ...(name && { name }) }, options),
      { progress, signal },
    );
  },
  createDataset: (api: PublicApi, name: string, images: ImageSource[]) =>
    api.call((client, options, token) => client.datasets.create({ token, name, images }, options)),
  listDatasets: (api: PublicApi, cursor: string | undefined, signal?: AbortSignal) =>
    api.call(
      (client, options, token) => client.datasets.list({ token, ...(cursor && { cursor }), limit: 100 }, options),
      { signal },
    ),
  getDataset: (api: PublicApi, dataSetId: string, images: { cursor?: string; limit: number }, signal?: AbortSignal) =>
    api.call((client, options, token) => client.datasets.get({ token, dataSetId, ...images }, options), { signal }),
  updateDataset: (api: PublicApi, dataSetId: string, changes: DataSetChanges) =>
    api.call((client, options, token) => client.datasets.update({ token, dataSetId, ...changes }, options)),
  undoDataset: (api: PublicApi, dataSetId: string) =>
    api.call((client, options, token) => client.datasets.undo({ token, dataSetId }, options)),
  deleteDataset: (api: PublicApi, dataSetId: string) =>
    api.call((client, options, token) => client.datasets.delete({ token, dataSetId }, options)),
};
export const IMAGES_PER_PAGE = PAGE;

/** Calls a function for each element, with limited concurrency. */
export async function runConcurrently<T>(list: readonly T[], atOnce: number, work: (one: T) => Promise<unknown>) {
  const iterator = list[Symbol.iterator]();
  const worker = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, list.length) }, worker));
}
