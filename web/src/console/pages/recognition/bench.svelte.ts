import { SvelteMap } from 'svelte/reactivity';
import { i18n } from '$/lib/i18n.svelte';
import { readSetting, writeSetting } from '$/lib/settings';
import type { PublicApi } from '$/lib/public';
import { CANDIDATES, type Ask, type FunctionName, type Kind, type Tongue } from './functions';
import { orientationOf } from './orientation';
import { Run } from './run.svelte';

/** The number of pictures kept. */
const MOST_PICTURES = 16;
const MOST_COLLECTIONS = 10;

/** The value of a number input while it is edited. */
type Entry = string | number | null | undefined;

/** A picture that was tried. Kept in memory only. */
export class Picture {
  readonly file: File;
  readonly url: string;
  readonly orientation: Promise<number>;
  /** By application and function. */
  readonly runs = new SvelteMap<string, Run>();

  constructor(file: File) {
    this.file = file;
    this.url = URL.createObjectURL(file);
    this.orientation = orientationOf(file);
  }

  forget() {
    for (const run of this.runs.values()) run.stop();
    URL.revokeObjectURL(this.url);
  }
}

/** The API cannot list collections. Those used successfully are remembered in this browser. */
export function knownCollections(): string[] {
  try {
    const list: unknown = JSON.parse(readSetting('collections') ?? '[]');
    return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/**
 * The settings and pictures of the playground. Kept when another application is selected, except for settings that
 * belong to the previous one.
 */
export class Bench {
  task = $state<FunctionName>('classify');
  models = $state<Record<'classify' | 'detect', string>>({ classify: '', detect: '' });
  collection = $state(knownCollections()[0] ?? '');
  kind = $state<Kind>('product-all');
  most = $state<Record<FunctionName, Entry>>({
    classify: CANDIDATES.classify.usual,
    detect: CANDIDATES.detect.usual,
    similar: CANDIDATES.similar.usual,
    recognize: CANDIDATES.recognize.usual,
  });
  minScore = $state<Entry>(0.3);
  tongue = $state<Tongue>(i18n.language);
  /** Whether a user's dataset is used instead of a model or a collection. */
  withDataSet = $state(false);
  user = $state('');
  dataSetId = $state('');
  pictures = $state.raw<Picture[]>([]);
  current = $state.raw<Picture | null>(null);
  #application: string | null = null;

  /**
   * Users and datasets belong to an application, so they are reset for another one. The first application keeps what
   * the URL contained.
   */
  actAs(application: string) {
    if (this.#application !== null && this.#application !== application) [this.user, this.dataSetId] = ['', ''];
    this.#application = application;
  }

  get usesDataSet() {
    return this.withDataSet && (this.task === 'classify' || this.task === 'similar');
  }

  /** Null while a setting is missing. */
  get ask(): Ask | null {
    const { task } = this;
    const model = task === 'similar' ? this.collection.trim() : task === 'recognize' ? '' : this.models[task];
    if (this.usesDataSet ? !this.dataSetId || !this.user : task === 'similar' && model === '') return null;
    const { most, usual } = CANDIDATES[task];
    const wanted = Math.round(Number(this.most[task])) || usual;
    return {
      task,
      model: this.usesDataSet ? '' : model,
      kind: this.kind,
      tongue: this.tongue,
      dataSet: this.usesDataSet ? { id: this.dataSetId, user: this.user } : null,
      most: Math.min(most, Math.max(1, wanted)),
      minScore: Math.min(1, Math.max(0, Number(this.minScore) || 0)),
    };
  }

  runOf(api: PublicApi): Run | null {
    return this.current?.runs.get(`${api.application} ${this.task}`) ?? null;
  }

  /** Adds a picture and shows it. */
  take(file: File) {
    const picture = new Picture(file);
    for (const old of this.pictures.slice(MOST_PICTURES - 1)) old.forget();
    this.pictures = [picture, ...this.pictures.slice(0, MOST_PICTURES - 1)];
    this.current = picture;
  }

  remove(picture: Picture) {
    const at = this.pictures.indexOf(picture);
    this.pictures = this.pictures.filter((one) => one !== picture);
    if (this.current === picture) this.current = this.pictures[Math.min(at, this.pictures.length - 1)] ?? null;
    picture.forget();
  }

  async run(api: PublicApi) {
    const { ask, current } = this;
    if (!ask || !current) return;
    const key = `${api.application} ${ask.task}`;
    current.runs.get(key)?.stop();
    const run = new Run(api, ask, current.file, i18n.language);
    current.runs.set(key, run);
    await run.start();
    if (run.result && ask.task === 'similar' && !ask.dataSet) {
      writeSetting(
        'collections',
        JSON.stringify(
          [ask.model, ...knownCollections().filter((one) => one !== ask.model)].slice(0, MOST_COLLECTIONS),
        ),
      );
    }
  }

  forget() {
    for (const picture of this.pictures) picture.forget();
  }
}
