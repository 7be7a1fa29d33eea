import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import type { PublicApi } from '$/lib/public';
import { datasetApi, type Dataset, type DataSetChanges, type ImageSource } from './dataset-api';

/** What becomes of an image in the version that is being built. */
export type Decision = { kind: 'retag'; tag: string } | { kind: 'keep' } | { kind: 'remove' };

/** Changes a dataset. Its methods fail with the error of the request. */
export class DatasetEditor {
  #api: PublicApi;
  #id: string;
  #changed: (dataset: Dataset) => void;
  /**
   * The decisions of this page that are not in the version that answers yet, by image. The API says only how far the
   * new version is.
   */
  readonly decisions = new SvelteMap<string, Decision>();
  /** The images of the storage area that this page has added to the version that is being built. */
  readonly added = new SvelteSet<string>();

  constructor(api: PublicApi, id: string, changed: (dataset: Dataset) => void) {
    this.#api = api;
    this.#id = id;
    this.#changed = changed;
  }

  async #change(changes: DataSetChanges) {
    this.#changed(await datasetApi.updateDataset(this.#api, this.#id, changes));
  }

  async retag(imageId: string, tag: string) {
    await this.#decide(imageId, { kind: 'retag', tag }, { retag: [{ imageId, tag }] });
  }

  async keep(imageId: string) {
    await this.#decide(imageId, { kind: 'keep' }, { confirm: [imageId] });
  }

  async remove(imageId: string) {
    await this.#decide(imageId, { kind: 'remove' }, { remove: [imageId] });
  }

  async add(images: ImageSource[]) {
    await this.#change({ add: images });
    for (const image of images) if ('imageId' in image) this.added.add(image.imageId);
  }

  renameTag = (from: string, to: string) => this.#change({ renameTags: [{ from, to }] });
  rename = (name: string) => this.#change({ name });

  async undo() {
    const dataset = await datasetApi.undoDataset(this.#api, this.#id);
    this.forget();
    this.#changed(dataset);
  }

  /** The version that was being built answers now, or never will. */
  forget() {
    this.decisions.clear();
    this.added.clear();
  }

  async #decide(imageId: string, decision: Decision, changes: DataSetChanges) {
    await this.#change(changes);
    this.decisions.set(imageId, decision);
  }
}
