import type { GeoPoint } from './maps.js';

/** A corner in pixels of the picture as sent. */
export interface Corner {
  x: number;
  y: number;
}

/** A category that the picture may be of. */
export interface TagCandidate {
  tag: string;
  /** 0 to 1. */
  score: number;
  /** What feedbackToCandidate refers to. */
  itemId: string;
  /** What identifies the category: two can share a name. */
  tagId?: string;
  /** Where it is, if it is a single thing whose place is known, such as a sight. */
  geoPoint?: GeoPoint;
  /** Pages about it, of a model that knows single things. */
  sites?: Site[];
}

/** The categories of a picture, best first. */
export interface Classification {
  recognitionId: string;
  jobId: string;
  candidates: TagCandidate[];
}

/** A thing in the picture, and its box in pixels of the picture as sent. */
export interface ThingCandidate {
  tag: string;
  /** 0 to 1. */
  score: number;
  /** What feedbackToCandidate refers to. */
  itemId: string;
  /** What identifies the category: two can share a name. */
  tagId?: string;
  xMin: number;
  yMin: number;
  xMax: number;
  yMax: number;
}

/** The things in a picture, best first. */
export interface Detection {
  recognitionId: string;
  jobId: string;
  width: number;
  height: number;
  candidates: ThingCandidate[];
}

/** An image that is like the picture. */
export interface LikenessCandidate {
  imageId: string;
  imageUrl: string;
  /** The address of a small picture of it on the server, which takes a key. */
  thumbnailUrl?: string;
  tag: string;
  score: number;
  itemId: string;
}

/** Images that are like a picture, most similar first. */
export interface Likenesses {
  recognitionId: string;
  jobId: string;
  candidates: LikenessCandidate[];
}

/** A page about an item. */
export interface Site {
  url?: string;
  title?: string;
  imageUrl?: string;
}

/** What an item was recognised by, and where. */
export interface Evidence {
  kind: string;
  barcode?: string;
  inliers?: number;
  matchedText?: string;
  referencePicture?: number;
  xMin: number;
  yMin: number;
  xMax: number;
  yMax: number;
}

/** An item of the catalogue that the picture may show. */
export interface ItemCandidate {
  score: number;
  itemId: string;
  category: string;
  imageUrl: string;
  /** The address of a small picture of it on the server, which takes a key. */
  thumbnailUrl?: string;
  /** `itemName`, and whatever the catalogue knows. */
  detail: Record<string, unknown>;
  sites: Site[];
  evidence?: Evidence;
  corners?: Corner[];
}

/** The items that a picture shows, best first. */
export interface ItemRecognition {
  recognitionId: string;
  candidates: ItemCandidate[];
}

/** A line of text. */
export interface LineCandidate {
  text: string;
  score: number;
  itemId: string;
  corners: Corner[];
  vertical: boolean;
}

/** The text in a picture, in reading order. */
export interface TextReading {
  recognitionId: string;
  width: number;
  height: number;
  candidates: LineCandidate[];
}

/** The verdicts on one candidate in one stretch of time. */
export interface Total {
  task: string;
  model: string;
  subject: string;
  /** When the stretch begins, in UTC. */
  from: string;
  valid: number;
  invalid: number;
  precision: number;
}

/** How often candidates were right. */
export interface FeedbackTotals {
  totals: Total[];
}

/** A verdict that moved a candidate. */
export interface MovedBy {
  isValid: boolean;
  by: number;
  itemId?: string;
  recognitionId?: string;
}

/** A candidate, and what feedback did to it. */
export interface ExplainedCandidate {
  itemId: string;
  name: string;
  subject: string;
  score: number;
  baseScore: number;
  movedBy: MovedBy[];
}

/** A recognition, and what moved its scores. */
export interface Explanation {
  task: string;
  model: string;
  recognisedAt: string;
  candidates: ExplainedCandidate[];
}

/** A model of the server. */
export interface Model {
  name: string;
  title: string;
  licence: string;
  source: string;
  usable: boolean;
  loaded: boolean;
  description?: string;
  languages?: string[];
  tags?: number;
  /** The size to which it scales pictures. */
  input?: { width: number; height: number };
  /** Present and true if it has a text encoder: `similarImage/search` takes a text with its vectors. */
  text?: boolean;
}

/** The models of the server by task. */
export interface Models {
  tasks: { task: string; models: Model[] }[];
}

/** A tag that a model can answer with. */
export interface Tag {
  tagId: string;
  tag: string;
  /** By language. */
  names: Record<string, string>;
}

/** Some of the tags of a model. */
export interface TagPage {
  /** How many there are in all. */
  max: number;
  /** The number of the first one here, counted from 1. */
  offset: number;
  tags: Tag[];
}
