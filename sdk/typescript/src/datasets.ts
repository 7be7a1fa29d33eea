import { DataSetFailedError, TimeoutError } from './errors.js';
import type { CallOptions, Once } from './settings.js';
import { nothing, shaped, type Shape } from './shape.js';
import { sleep, type Transport } from './transport.js';
import type {
  CreatedDataSet,
  DataSet,
  DataSetChanges,
  DataSetDetail,
  DataSetImage,
  DataSetPage,
  Token,
} from './types/data.js';

const BASE = '/imageRecognition/v1/userCategory';
const dataSet: Shape = {
  dataSetId: 'string',
  name: 'string',
  state: 'string',
  progress: { total: 'number', done: 'number' },
};

/**
 * Users' own categories: datasets that are taught by examples. Every method but `getToken` takes the user's token.
 * Wherever a `dataSetId` is asked for, the user's own name of the dataset is taken too, as long as no other dataset of
 * the user has it.
 */
export class DataSets {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /**
   * A token for one of the application's users, by the application's own name for the user.
   *
   * This is for servers. A key that may make tokens can read and delete the data of every user, so it must not be in a
   * page or an app: let your server call this, and give the token and a restricted key to the page.
   */
  getToken(ask: { userId: string }, options?: CallOptions): Promise<Token> {
    const read = shaped<Token>({ token: 'string', expiresAt: 'string' });
    return this.transport.send({ method: 'POST', path: `${BASE}/getToken`, json: ask, read }, options);
  }

  /**
   * Begins to build a dataset; `waitUntilReady` waits for it. It is made of `images`, or by `from: 'storage'` of all
   * images of the user's storage area that have a tag; its name must then be one that no other dataset has.
   */
  create(
    ask: { token: string; name: string } & ({ images: DataSetImage[] } | { from: 'storage' }) & Once,
    options?: CallOptions,
  ): Promise<CreatedDataSet> {
    const { token, idempotencyKey, ...json } = ask;
    const read = shaped<CreatedDataSet>({ dataSetId: 'string', state: 'string' });
    const path = `${BASE}/createDataSet`;
    return this.transport.send(
      { method: 'POST', path, query: { token }, json, read, creates: { idempotencyKey } },
      options,
    );
  }

  /** How far a dataset is, what became of its images, and how good it is. */
  get(
    ask: { token: string; dataSetId: string; cursor?: string; limit?: number },
    options?: CallOptions,
  ): Promise<DataSetDetail> {
    const image: Shape = { imageId: 'string', outcome: 'string' };
    return this.post('getDataSet', ask, { ...(dataSet as object), images: [image] }, options);
  }

  /** Some of the user's datasets. */
  list(ask: { token: string; cursor?: string; limit?: number }, options?: CallOptions): Promise<DataSetPage> {
    return this.post('listDataSets', ask, { dataSets: [dataSet] }, options);
  }

  /** All of the user's datasets, read page after page of `limit`. */
  async *each(ask: { token: string; limit?: number }, options?: CallOptions): AsyncGenerator<DataSet, void, undefined> {
    for (let cursor: string | undefined; ;) {
      const page: DataSetPage = await this.list({ ...ask, ...(cursor && { cursor }) }, options);
      yield* page.dataSets;
      cursor = page.nextCursor;
      if (cursor === undefined) return;
    }
  }

  /**
   * Changes a dataset. If its images change, a new version is built in the background, and the dataset answers as
   * before until that is ready; `update` of the dataset says how far it is.
   */
  update(ask: { token: string; dataSetId: string } & DataSetChanges, options?: CallOptions): Promise<DataSet> {
    return this.post('updateDataSet', ask, dataSet, options, false);
  }

  /**
   * Takes the last change of a dataset back: a version that is being built is dropped, otherwise the version before
   * answers again. The name stays.
   */
  undo(ask: { token: string; dataSetId: string }, options?: CallOptions): Promise<DataSet> {
    return this.post('undoDataSet', ask, dataSet, options, false);
  }

  /** Deletes a dataset. The images of the storage area stay. */
  delete(ask: { token: string; dataSetId: string }, options?: CallOptions): Promise<void> {
    const { token, ...json } = ask;
    const path = `${BASE}/deleteDataSet`;
    return this.transport.send({ method: 'POST', path, query: { token }, json, read: nothing }, options);
  }

  /**
   * Waits until a dataset is ready, at most `timeout` seconds (600). `onProgress` is called whenever its state or
   * progress has changed. Fails with `DataSetFailedError` if it could not be built.
   */
  async waitUntilReady(
    ask: { token: string; dataSetId: string; onProgress?: (dataSet: DataSet) => void; timeout?: number },
    options?: CallOptions,
  ): Promise<DataSet> {
    const { token, dataSetId, onProgress, timeout = 600 } = ask;
    const end = performance.now() + timeout * 1000;
    let last = '';
    for (let wait = 0.2; ; wait = Math.min(wait * 1.5, 5)) {
      const now: DataSet = await this.get({ token, dataSetId, limit: 1 }, options);
      const seen = JSON.stringify([now.state, now.progress]);
      if (seen !== last) onProgress?.(now);
      last = seen;
      if (now.state === 'ready') return now;
      if (now.state === 'failed') {
        throw new DataSetFailedError(now.dataSetId, now.reason);
      }
      if (performance.now() + wait * 1000 > end) {
        throw new TimeoutError(`dataset ${dataSetId} is not ready after ${timeout} s`);
      }
      await sleep(wait, options?.signal);
    }
  }

  private post<T>(
    operation: string,
    ask: { token: string },
    shape: Shape,
    options?: CallOptions,
    repeatable = true,
  ): Promise<T> {
    const { token, ...json } = ask;
    const path = `${BASE}/${operation}`;
    return this.transport.send(
      { method: 'POST', path, query: { token }, json, read: shaped<T>(shape), repeatable },
      options,
    );
  }
}
