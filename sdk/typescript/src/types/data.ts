import type { Site } from './recognition.js';

/** A part of the server, such as its database. */
export interface Part {
  name: string;
  /** ok, off, starting, degraded or failing. */
  state: string;
  /** Why, when it is not ok. */
  message?: string;
}

/** How the server is. */
export interface Health {
  /** ok; of `ready` also degraded, when a part needs attention. */
  status: string;
  version: string;
  /** The parts of the server; of `ready` alone. */
  parts?: Part[];
}

/** A token for one of the application's users. */
export interface Token {
  token: string;
  /** In UTC, such as 2026-12-18T02:08:38Z. */
  expiresAt: string;
}

/** An image that was stored. */
export interface UploadedImage {
  imageId: string;
  sha256: string;
  width: number;
  height: number;
  /** The tag that is kept: of the same bytes uploaded again, the first one stays. */
  tag?: string;
  /** The name that is kept, as the tag is. */
  name?: string;
}

/** An image of the user's storage area. */
export interface StoredImage extends UploadedImage {
  name: string;
  tag: string;
  bytes: number;
  createdAt: string;
}

/** Some of the user's images. */
export interface ImagePage {
  images: StoredImage[];
  nextCursor?: string;
}

/** An image of a dataset to be: `imageId` of the storage area, or `url`. */
export interface DataSetImage {
  /** May be left out for a stored image that has a tag. */
  tag?: string;
  imageId?: string;
  url?: string;
}

/** What changes in a dataset. What is left out stays as it is. */
export interface DataSetChanges {
  /** What the user calls it from now on. */
  name?: string;
  /** Images to add. */
  add?: DataSetImage[];
  /** Images of the dataset to remove, by `imageId`. */
  remove?: string[];
  /** Images of the dataset that get another tag. */
  retag?: { imageId: string; tag: string }[];
  /** Tags to rename. A tag that exists already takes the images in, so that two tags can be merged. */
  renameTags?: { from: string; to: string }[];
  /** Images of the dataset, by `imageId`, whose tag is right: `health` does not list them as mislabelled any more. */
  confirm?: string[];
}

/** Something that a dataset cannot do. */
export interface DataSetWarning {
  code: string;
  message: string;
}

/** A dataset that is being built. */
export interface CreatedDataSet {
  dataSetId: string;
  state: string;
  warnings?: DataSetWarning[];
}

/** How many images of a dataset came to what. */
export interface Progress {
  total: number;
  done: number;
  pending: number;
  fetched: number;
  failed: number;
  denied: number;
  notAnImage: number;
  notFound: number;
  overQuota: number;
  timedOut: number;
  tooLarge: number;
}

/** What a dataset is doing. */
export type DataSetState = 'queued' | 'building' | 'ready' | 'failed';

/** A version of a dataset that does not answer yet. */
export interface DataSetUpdate {
  state: 'queued' | 'building' | 'failed';
  progress: Progress;
  /** Why it failed. */
  reason?: string;
}

/** A dataset. */
export interface DataSet {
  dataSetId: string;
  name: string;
  state: DataSetState;
  since: string;
  createdAt: string;
  model: string;
  progress: Progress;
  /** How good it is, once it is ready. */
  health?: Record<string, unknown>;
  /** Why it failed. */
  reason?: string;
  warnings?: DataSetWarning[];
  /** The number of the version that answers; absent for a dataset that was never changed. */
  version?: number;
  /** The version that is being built, or that failed; absent when there is none. */
  update?: DataSetUpdate;
}

/** What became of an image of a dataset. */
export interface ImageOutcome {
  imageId: string;
  url: string;
  tag: string;
  outcome: string;
  detail: string;
  /** Whether it was deleted from the storage area since. The dataset goes on recognising with it. */
  deleted?: boolean;
  /** The user's name for it in the storage area, such as a file name. */
  name?: string;
}

/** A dataset and some of its images. */
export interface DataSetDetail extends DataSet {
  images: ImageOutcome[];
  nextCursor?: string;
}

/** Some of the user's datasets. */
export interface DataSetPage {
  dataSets: DataSet[];
  nextCursor?: string;
}

/** An item of the catalogue. */
export interface Item {
  id: string;
  category: string;
  name: string;
  barcodes: string[];
  pictures: number;
  imageUrl: string;
  /** The address of a small picture of it on the server, which takes a key. */
  thumbnailUrl?: string;
  detail: Record<string, unknown>;
  sites: Site[];
}

/** Some items of the catalogue. */
export interface ItemPage {
  items: Item[];
  nextCursor?: string;
}

/** A public collection of similar image search. */
export interface Collection {
  collection: string;
  images: number;
  modelName: string;
  createdAt: string;
}

/** Some of the collections. */
export interface CollectionPage {
  collections: Collection[];
  nextCursor?: string;
}

/** An image of a collection. */
export interface CollectionImage {
  imageId: string;
  imageUrl: string;
  /** The address of a small picture of it on the server, which takes a key. */
  thumbnailUrl?: string;
  tag: string;
}

/** Some images of a collection. */
export interface CollectionImagePage {
  images: CollectionImage[];
  nextCursor?: string;
}
