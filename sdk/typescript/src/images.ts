import { blobOf, formOf, type Picture } from './pictures.js';
import type { CallOptions, Once } from './settings.js';
import { nothing, shaped } from './shape.js';
import type { Transport } from './transport.js';
import type { ImagePage, StoredImage, UploadedImage } from './types/data.js';
import type { PictureFile } from './types/maps.js';
import { fileOf } from './wire.js';

const BASE = '/imageRecognition/v1/userCategory';

/** A user's storage area for images. Every method takes the user's token. */
export class Images {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Stores an image; `tag` says what it shows, `name` what the user calls it. */
  upload(
    ask: { token: string; image: Picture; tag?: string; name?: string } & Once,
    options?: CallOptions,
  ): Promise<UploadedImage> {
    const { token, image, tag, name, idempotencyKey } = ask;
    const form = formOf({ tag, name, image: blobOf(image) });
    const read = shaped<UploadedImage>({ imageId: 'string', sha256: 'string', width: 'number', height: 'number' });
    const path = `${BASE}/uploadImage`;
    return this.transport.send(
      { method: 'POST', path, query: { token }, form, read, creates: { idempotencyKey } },
      options,
    );
  }

  /** Some of the user's images. */
  list(ask: { token: string; cursor?: string; limit?: number }, options?: CallOptions): Promise<ImagePage> {
    const { token, ...json } = ask;
    const read = shaped<ImagePage>({ images: [{ imageId: 'string', name: 'string', tag: 'string', bytes: 'number' }] });
    const call = {
      method: 'POST',
      path: `${BASE}/listImages`,
      query: { token },
      json,
      read,
      repeatable: true,
    } as const;
    return this.transport.send(call, options);
  }

  /** All of the user's images, read page after page of `limit`. */
  async *each(
    ask: { token: string; limit?: number },
    options?: CallOptions,
  ): AsyncGenerator<StoredImage, void, undefined> {
    for (let cursor: string | undefined; ;) {
      const page: ImagePage = await this.list({ ...ask, ...(cursor && { cursor }) }, options);
      yield* page.images;
      cursor = page.nextCursor;
      if (cursor === undefined) return;
    }
  }

  /** An image; thumbnail is a JPEG of at most 256 pixels a side. */
  get(
    ask: { token: string; imageId: string; size?: 'original' | 'thumbnail' },
    options?: CallOptions,
  ): Promise<PictureFile> {
    const path = `${BASE}/getImage`;
    return this.transport.send({ method: 'GET', path, query: ask, read: fileOf, repeatable: true }, options);
  }

  /** Takes an image out of the storage area. Datasets that were made of it keep it. */
  delete(ask: { token: string; imageId: string }, options?: CallOptions): Promise<void> {
    const { token, ...json } = ask;
    const path = `${BASE}/deleteImage`;
    return this.transport.send({ method: 'POST', path, query: { token }, json, read: nothing }, options);
  }
}
