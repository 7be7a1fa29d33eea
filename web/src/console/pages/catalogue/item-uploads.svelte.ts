import type { PublicApi } from '$/lib/public';
import { queueOf, UploadQueue, type Upload } from '$/pages/datasets/uploads.svelte';
import type { ItemRow } from './item-table';

/** Adds the items of a table to the catalogue. */
export class ItemUploads extends UploadQueue {
  /** Called after every item. */
  listener: (() => void) | null = null;
  readonly #api: PublicApi;
  readonly #rows = new WeakMap<File, { row: ItemRow; pictures: File[] }>();

  constructor(api: PublicApi) {
    super();
    this.#api = api;
  }

  addRows(rows: { row: ItemRow; pictures: File[] }[]) {
    this.add(
      rows.map((one) => {
        // Stands for the item in the list. Its size is that of the pictures.
        const file = new File(one.pictures, one.row.name || one.row.id);
        this.#rows.set(file, one);
        return { file, tag: one.row.category, rejection: null };
      }),
    );
  }

  protected async send(one: Upload, signal: AbortSignal): Promise<'stored'> {
    const found = this.#rows.get(one.file);
    if (!found) return 'stored';
    const { id, category, name, barcodes, imageUrl, url, details } = found.row;
    const item = {
      id,
      category,
      name,
      barcodes,
      images: found.pictures,
      details,
      ...(imageUrl && { imageUrl }),
      ...(url && { url }),
    };
    const progress = (share: number) => (one.share = share);
    await this.#api.call((client, options) => client.catalogue.add(item, options), { signal, progress });
    this.listener?.();
    return 'stored';
  }
}

export const itemUploads = (api: PublicApi): ItemUploads =>
  queueOf(JSON.stringify(['catalogue', api.application]), () => new ItemUploads(api));
