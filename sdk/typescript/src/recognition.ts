import { blobOf, formOf, type Picture } from './pictures.js';
import type { CallOptions, Once } from './settings.js';
import { nothing, shaped, type Shape } from './shape.js';
import type { Transport } from './transport.js';
import type { PictureFile } from './types/maps.js';
import type {
  Classification,
  Detection,
  Explanation,
  FeedbackTotals,
  ItemRecognition,
  Likenesses,
  Models,
  Tag,
  TagPage,
  TextReading,
} from './types/recognition.js';
import { fileOf } from './wire.js';

const BASE = '/imageRecognition/v1';
const candidate = { score: 'number', itemId: 'string' } as const;
const tagged = { ...candidate, tag: 'string' } as const;
const ids = { recognitionId: 'string', jobId: 'string' } as const;
const box = { xMin: 'number', yMin: 'number', xMax: 'number', yMax: 'number' } as const;

/** What pictures show, and whether the answer was right. */
export class Recognition {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /**
   * Which categories a picture is of: by a model (`general` if left out), or by a dataset of the user's, which needs
   * the user's token.
   */
  classify(
    ask: {
      image: Picture;
      modelName?: string;
      dataSetId?: string;
      token?: string;
      numOfCandidates?: number;
      language?: string;
    },
    options?: CallOptions,
  ): Promise<Classification> {
    return this.look('concept/classify', ask, { ...ids, candidates: [tagged] }, options);
  }

  /** Where things are in a picture, and what they are. `accuracy` high finds small things too, and takes longer. */
  detect(
    ask: {
      image: Picture;
      modelName?: string;
      numOfCandidates?: number;
      minScore?: number;
      accuracy?: 'normal' | 'high';
      language?: string;
    },
    options?: CallOptions,
  ): Promise<Detection> {
    const shape: Shape = { ...ids, width: 'number', height: 'number', candidates: [{ ...tagged, ...box }] };
    return this.look('objectDetection/detect', ask, shape, options);
  }

  /**
   * The images of a collection, or of a user's dataset, that are most like a picture; or those that show what `text`
   * says, where the model of the collection has a text encoder.
   */
  similar(
    ask: {
      image?: Picture;
      text?: string;
      collection?: string;
      dataSetId?: string;
      token?: string;
      numOfCandidates?: number;
      minScore?: number;
    },
    options?: CallOptions,
  ): Promise<Likenesses> {
    const shape: Shape = { ...ids, candidates: [{ ...tagged, imageId: 'string', imageUrl: 'string' }] };
    return this.look('similarImage/search', ask, shape, options);
  }

  /** The text in a picture, line by line. */
  readText(ask: { image: Picture; language?: string }, options?: CallOptions): Promise<TextReading> {
    const line: Shape = { ...candidate, text: 'string', vertical: 'boolean', corners: [{ x: 'number', y: 'number' }] };
    const shape: Shape = { recognitionId: 'string', width: 'number', height: 'number', candidates: [line] };
    return this.look('text/read', ask, shape, options);
  }

  /** Which item of the catalogue a picture shows: product-all (default), book, cd, dvd, game, software or food. */
  recognize(
    ask: { image: Picture; recog?: string; numOfCandidates?: number },
    options?: CallOptions,
  ): Promise<ItemRecognition> {
    const { image, ...query } = ask;
    const item: Shape = { ...candidate, category: 'string', detail: 'object', sites: [{}] };
    const read = shaped<ItemRecognition>({ recognitionId: 'string', candidates: [item] });
    return this.transport.send(
      { method: 'POST', path: `${BASE}/recognize`, query, body: blobOf(image), read },
      options,
    );
  }

  /**
   * Says whether the whole result of a recognition was right. The last word counts. `tag` is what the picture really
   * shows: a tag of the model that answered, also one that is no candidate.
   */
  feedback(
    ask: { recognitionId: string; isValid: boolean; comment?: string; tag?: string } & Once,
    options?: CallOptions,
  ): Promise<void> {
    return this.judge('feedback', ask, options);
  }

  /** Says whether one candidate of a recognition was right. The last word counts. `tag` is that of `feedback`. */
  feedbackToCandidate(
    ask: { recognitionId: string; itemId: string; isValid: boolean; comment?: string; tag?: string } & Once,
    options?: CallOptions,
  ): Promise<void> {
    return this.judge('feedbackToCandidate', ask, options);
  }

  /** How often candidates were right, over time. `since` and `until` are days or times, such as 2026-11-18. */
  feedbackTotals(
    query: { modelName?: string; since?: string; until?: string; interval?: 'hour' | 'day' } = {},
    options?: CallOptions,
  ): Promise<FeedbackTotals> {
    const total: Shape = { task: 'string', model: 'string', subject: 'string', valid: 'number', invalid: 'number' };
    return this.get('feedbackTotals', query, { totals: [total] }, options);
  }

  /** What feedback did to the candidates of a recognition. */
  explain(query: { recognitionId: string }, options?: CallOptions): Promise<Explanation> {
    const explained: Shape = { ...candidate, name: 'string', baseScore: 'number', movedBy: [{ by: 'number' }] };
    return this.get('explain', query, { task: 'string', model: 'string', candidates: [explained] }, options);
  }

  /** The models of the server by task. */
  models(options?: CallOptions): Promise<Models> {
    const shape: Shape = { tasks: [{ task: 'string', models: [{ name: 'string', usable: 'boolean' }] }] };
    return this.get('models', {}, shape, options);
  }

  /** The tags that a model can answer with; with `text`, those that contain it in any language. */
  modelTags(
    ask: { name: string; language?: string; text?: string; limit?: number; offset?: number },
    options?: CallOptions,
  ): Promise<TagPage> {
    const { name, ...query } = ask;
    const tag: Shape = { tagId: 'string', tag: 'string', names: 'object' };
    const shape: Shape = { max: 'number', offset: 'number', tags: [tag] };
    return this.get(`models/${encodeURIComponent(name)}/tags`, query, shape, options);
  }

  /** All tags of a model, read page after page of `limit`. */
  async *eachTag(
    ask: { name: string; language?: string; text?: string; limit?: number },
    options?: CallOptions,
  ): AsyncGenerator<Tag, void, undefined> {
    for (let offset = 1; ;) {
      const page = await this.modelTags({ ...ask, offset }, options);
      yield* page.tags;
      offset += page.tags.length;
      if (page.tags.length === 0 || offset > page.max) return;
    }
  }

  /**
   * A small picture of an image of a collection, or of an item of the catalogue. With the `version` of `thumbnailUrl` a
   * browser keeps it for an hour.
   */
  thumbnail(
    ask: ({ collection: string; imageId: string } | { id: string }) & { version?: string },
    options?: CallOptions,
  ): Promise<PictureFile> {
    const path = `${BASE}/thumbnail`;
    return this.transport.send({ method: 'GET', path, query: ask, read: fileOf, repeatable: true }, options);
  }

  private look<T>(
    operation: string,
    ask: { image?: Picture; token?: string },
    shape: Shape,
    options?: CallOptions,
  ): Promise<T> {
    const { image, token, ...fields } = ask;
    const form = formOf({ ...fields, image: image && blobOf(image) });
    return this.transport.send(
      { method: 'POST', path: `${BASE}/${operation}`, query: { token }, form, read: shaped<T>(shape) },
      options,
    );
  }

  private judge(
    operation: string,
    ask: { recognitionId: string; isValid: boolean; comment?: string; tag?: string } & Once,
    options?: CallOptions,
  ): Promise<void> {
    const { comment, tag, idempotencyKey, ...query } = ask;
    const json = { comment, tag }; // what is undefined is not written
    const call = {
      method: 'POST',
      path: `${BASE}/${operation}`,
      query,
      json,
      read: nothing,
      creates: { idempotencyKey },
    } as const;
    return this.transport.send(call, options);
  }

  private get<T>(
    operation: string,
    query: Record<string, string | number | undefined>,
    shape: Shape,
    options?: CallOptions,
  ): Promise<T> {
    const path = `${BASE}/${operation}`;
    return this.transport.send({ method: 'GET', path, query, read: shaped<T>(shape), repeatable: true }, options);
  }
}
