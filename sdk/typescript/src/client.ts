import { DataSets } from './datasets.js';
import { Images } from './images.js';
import { Maps } from './maps.js';
import { Catalogue, Collections } from './operator.js';
import { Recognition } from './recognition.js';
import { type CallOptions, type ClientOptions, settingsOf } from './settings.js';
import { shaped } from './shape.js';
import { Transport } from './transport.js';
import type { Health } from './types/data.js';

/** A client of Kaisatsu. Make one and use it for all calls. */
export class Kaisatsu {
  readonly maps: Maps;
  readonly recognition: Recognition;
  readonly datasets: DataSets;
  readonly images: Images;
  readonly catalogue: Catalogue;
  readonly collections: Collections;
  readonly #transport: Transport;

  /** Nothing is sent yet. */
  constructor(options: ClientOptions) {
    const transport = new Transport(settingsOf(options), options.key);
    this.#transport = transport;
    this.maps = new Maps(transport);
    this.recognition = new Recognition(transport);
    this.datasets = new DataSets(transport);
    this.images = new Images(transport);
    this.catalogue = new Catalogue(transport);
    this.collections = new Collections(transport);
  }

  /** Whether the server lives. No key is sent. Pages of other origins may not ask this, nor `ready`. */
  health(options?: CallOptions): Promise<Health> {
    return this.#ask('/healthz', options);
  }

  /** Whether the server can do work; `UnavailableError` while it starts. No key is sent. */
  ready(options?: CallOptions): Promise<Health> {
    return this.#ask('/readyz', options);
  }

  #ask(path: string, options?: CallOptions): Promise<Health> {
    const read = shaped<Health>({ status: 'string', version: 'string' });
    return this.#transport.send({ method: 'GET', path, read, repeatable: true, hasKey: false }, options);
  }
}
