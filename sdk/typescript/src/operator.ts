import { blobOf, formOf, type Picture } from './pictures.js';
import type { CallOptions, Once } from './settings.js';
import { nothing, shaped, type Shape } from './shape.js';
import type { Transport } from './transport.js';
import type { Collection, CollectionImage, CollectionImagePage, CollectionPage, Item, ItemPage } from './types/data.js';
import type { Site } from './types/recognition.js';

const ITEMS = '/imageRecognition/v1/catalogue/items';
const COLLECTIONS = '/imageRecognition/v1/similarImage/collections';
const item: Shape = { id: 'string', category: 'string', name: 'string', barcodes: ['string'], detail: 'object' };
const collection: Shape = { collection: 'string', images: 'number', modelName: 'string' };

/** The items that `recognition.recognize` knows. An operator's key is needed. */
export class Catalogue {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Some of the items. */
  list(
    query: { category?: string; id?: string; barcode?: string; cursor?: string; limit?: number } = {},
    options?: CallOptions,
  ): Promise<ItemPage> {
    const read = shaped<ItemPage>({ items: [item] });
    return this.transport.send({ method: 'GET', path: ITEMS, query, read, repeatable: true }, options);
  }

  /** All items, read page after page of `limit`. */
  async *each(
    query: { category?: string; limit?: number } = {},
    options?: CallOptions,
  ): AsyncGenerator<Item, void, undefined> {
    for (let cursor: string | undefined; ;) {
      const page: ItemPage = await this.list({ ...query, ...(cursor && { cursor }) }, options);
      yield* page.items;
      cursor = page.nextCursor;
      if (cursor === undefined) return;
    }
  }

  /**
   * Adds an item, or replaces the one of the same id. `category` is book, cd, dvd, game, software or food. An item
   * needs a barcode (EAN, UPC or ISBN, as printed) or a picture, of which it may have 16. `details` is whatever else is
   * to be answered in `detail`, such as maker.
   */
  add(
    ask: {
      id: string;
      category: string;
      name: string;
      barcodes?: string[];
      images?: Picture[];
      imageUrl?: string;
      url?: string;
      sites?: Site[];
      details?: Record<string, string>;
    } & Once,
    options?: CallOptions,
  ): Promise<Item> {
    const { barcodes, images, sites, details, idempotencyKey, ...fields } = ask;
    const form = formOf({
      ...details,
      ...fields,
      sites: sites && JSON.stringify(sites),
      barcode: barcodes,
      image: images?.map(blobOf),
    });
    return this.transport.send(
      { method: 'POST', path: ITEMS, form, read: shaped<Item>(item), creates: { idempotencyKey } },
      options,
    );
  }

  /** Removes the item of an id, or all with a barcode. */
  remove(query: { id?: string; barcode?: string }, options?: CallOptions): Promise<void> {
    return this.transport.send({ method: 'DELETE', path: ITEMS, query, read: nothing }, options);
  }
}

/** The public collections that `recognition.similar` searches. An operator's key is needed. */
export class Collections {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Some of the collections. */
  list(query: { cursor?: string; limit?: number } = {}, options?: CallOptions): Promise<CollectionPage> {
    const read = shaped<CollectionPage>({ collections: [collection] });
    return this.transport.send({ method: 'GET', path: COLLECTIONS, query, read, repeatable: true }, options);
  }

  /** All collections, read page after page of `limit`. */
  async *each(query: { limit?: number } = {}, options?: CallOptions): AsyncGenerator<Collection, void, undefined> {
    for (let cursor: string | undefined; ;) {
      const page: CollectionPage = await this.list({ ...query, ...(cursor && { cursor }) }, options);
      yield* page.collections;
      cursor = page.nextCursor;
      if (cursor === undefined) return;
    }
  }

  /**
   * Adds an image to a collection, or replaces the one of the same id. The collection is made if there is none, with
   * the vectors of `modelName`. The server keeps only the picture's vector.
   */
  add(
    ask: {
      collection: string;
      imageId: string;
      image: Picture;
      tag?: string;
      imageUrl?: string;
      modelName?: string;
    } & Once,
    options?: CallOptions,
  ): Promise<Collection> {
    const { idempotencyKey, ...fields } = ask;
    const form = formOf({ ...fields, image: blobOf(ask.image) });
    const read = shaped<Collection>(collection);
    return this.transport.send({ method: 'POST', path: COLLECTIONS, form, read, creates: { idempotencyKey } }, options);
  }

  /** Removes an image, or the whole collection. */
  remove(query: { collection: string; imageId?: string }, options?: CallOptions): Promise<void> {
    return this.transport.send({ method: 'DELETE', path: COLLECTIONS, query, read: nothing }, options);
  }

  /** Some of the images of a collection. */
  images(
    query: { collection: string; cursor?: string; limit?: number },
    options?: CallOptions,
  ): Promise<CollectionImagePage> {
    const read = shaped<CollectionImagePage>({ images: [{ imageId: 'string', imageUrl: 'string', tag: 'string' }] });
    const path = `${COLLECTIONS}/images`;
    return this.transport.send({ method: 'GET', path, query, read, repeatable: true }, options);
  }

  /** All images of a collection, read page after page of `limit`. */
  async *eachImage(
    query: { collection: string; limit?: number },
    options?: CallOptions,
  ): AsyncGenerator<CollectionImage, void, undefined> {
    for (let cursor: string | undefined; ;) {
      const page: CollectionImagePage = await this.images({ ...query, ...(cursor && { cursor }) }, options);
      yield* page.images;
      cursor = page.nextCursor;
      if (cursor === undefined) return;
    }
  }
}
