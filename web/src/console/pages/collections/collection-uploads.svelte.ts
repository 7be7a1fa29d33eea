import type { PublicApi } from '$/lib/public';
import { queueOf, UploadQueue, type Upload } from '$/pages/datasets/uploads.svelte';

/** Adds images to a collection. An image is named by its folder and its file, as an import on the command line does. */
export class CollectionUploads extends UploadQueue {
  /** Called after every image. */
  listener: (() => void) | null = null;
  readonly #api: PublicApi;
  readonly #collection: string;

  constructor(api: PublicApi, collection: string) {
    super();
    [this.#api, this.#collection] = [api, collection];
  }

  protected async send(one: Upload, signal: AbortSignal): Promise<'stored'> {
    const { file, tag } = one;
    const imageId = tag ? `${tag}/${file.name}` : file.name;
    const image = { collection: this.#collection, imageId, image: file, ...(tag && { tag }) };
    const progress = (share: number) => (one.share = share);
    await this.#api.call((client, options) => client.collections.add(image, options), { signal, progress });
    this.listener?.();
    return 'stored';
  }
}

export const collectionUploads = (api: PublicApi, collection: string): CollectionUploads =>
  queueOf(JSON.stringify(['collection', api.application, collection]), () => new CollectionUploads(api, collection));
