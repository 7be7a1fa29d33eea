import { SvelteMap } from 'svelte/reactivity';
import { i18n } from '$/lib/i18n.svelte';
import { readSetting, writeSetting } from '$/lib/settings';
import type { PublicApi } from '$/lib/public';
import {
  CANDIDATES,
  type CountedFunction,
  type FunctionName,
  type Kind,
  type NameLanguage,
  type RecognitionRequest,
  type TextLanguage,
} from './recognise';
import { orientationOf } from './orientation';
import { recallPictures, rememberPictures } from './recent-pictures';
import { RecognitionRun } from './recognition-run.svelte';

/** The number of pictures kept. */
const MAX_PICTURES = 16;
const MAX_COLLECTIONS = 10;

/** The value of a number input while it is edited. */
type Entry = string | number | null | undefined;

/** A picture that was tried. */
export class Picture {
  readonly file: File;
  readonly url: string;
  readonly orientation: Promise<number>;
  /** By application and function. */
  readonly runs = new SvelteMap<string, RecognitionRun>();

  constructor(file: File) {
    this.file = file;
    this.url = URL.createObjectURL(file);
    this.orientation = orientationOf(file);
  }

  dispose() {
    for (const run of this.runs.values()) run.stop();
    URL.revokeObjectURL(this.url);
  }
}

/** Only operators may list collections. Those searched successfully are remembered in this browser. */
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
export class Playground {
  task = $state<FunctionName>('classify');
  models = $state<Record<'classify' | 'detect', string>>({ classify: '', detect: '' });
  collection = $state(knownCollections()[0] ?? '');
  kind = $state<Kind>('product-all');
  maxCandidates = $state<Record<CountedFunction, Entry>>({
    classify: CANDIDATES.classify.default,
    detect: CANDIDATES.detect.default,
    similar: CANDIDATES.similar.default,
    recognize: CANDIDATES.recognize.default,
  });
  minScore = $state<Entry>(0.3);
  highAccuracy = $state(false);
  nameLanguage = $state<NameLanguage>(i18n.language);
  textLanguage = $state<TextLanguage>('');
  /** What similar images should show, in words. */
  text = $state('');
  /** The latest search for a text by application. */
  readonly #textRuns = new SvelteMap<string, RecognitionRun>();
  /** Whether a user's dataset is used instead of a model or a collection. */
  useDataset = $state(false);
  user = $state('');
  dataSetId = $state('');
  pictures = $state.raw<Picture[]>([]);
  current = $state.raw<Picture | null>(null);
  #application: string | null = null;

  /**
   * Users and datasets belong to an application, so they are reset for another one. The first application keeps what
   * the URL contained.
   */
  setApplication(application: string) {
    if (this.#application !== null && this.#application !== application) [this.user, this.dataSetId] = ['', ''];
    this.#application = application;
  }

  get usesDataset() {
    return this.useDataset && (this.task === 'classify' || this.task === 'similar');
  }

  /** Whether a text is searched for instead of a picture. */
  get usesText() {
    return this.task === 'similar' && this.text.trim() !== '';
  }

  /** Null while a setting is missing. */
  get request(): RecognitionRequest | null {
    const { task } = this;
    const model =
      task === 'similar' ? this.collection.trim() : task === 'classify' || task === 'detect' ? this.models[task] : '';
    if (this.usesDataset ? !this.dataSetId || !this.user : task === 'similar' && model === '') return null;
    // Reading text takes no number of candidates.
    const counted = task === 'readText' ? 'recognize' : task;
    const { max, default: fallback } = CANDIDATES[counted];
    const wanted = Math.round(Number(this.maxCandidates[counted])) || fallback;
    return {
      task,
      model: this.usesDataset ? '' : model,
      kind: this.kind,
      nameLanguage: this.nameLanguage,
      textLanguage: this.textLanguage,
      text: this.usesText ? this.text.trim() : '',
      dataset: this.usesDataset ? { id: this.dataSetId, user: this.user } : null,
      maxCandidates: Math.min(max, Math.max(1, wanted)),
      highAccuracy: this.highAccuracy,
      minScore: Math.min(1, Math.max(0, Number(this.minScore) || 0)),
    };
  }

  runOf(api: PublicApi): RecognitionRun | null {
    if (this.usesText) return this.#textRuns.get(api.application) ?? null;
    return this.current?.runs.get(`${api.application} ${this.task}`) ?? null;
  }

  /** Adds a picture and shows it. */
  addPicture(file: File) {
    const picture = new Picture(file);
    for (const old of this.pictures.slice(MAX_PICTURES - 1)) old.dispose();
    this.pictures = [picture, ...this.pictures.slice(0, MAX_PICTURES - 1)];
    this.current = picture;
    this.#remember();
  }

  /** Shows the pictures of the last visit again. */
  recall() {
    const files = recallPictures();
    if (this.pictures.length > 0 || files.length === 0) return;
    this.pictures = files.map((file) => new Picture(file));
    this.current = this.pictures[0] ?? null;
  }

  #remember() {
    void rememberPictures(this.pictures.map((picture) => picture.file));
  }

  remove(picture: Picture) {
    const at = this.pictures.indexOf(picture);
    this.pictures = this.pictures.filter((one) => one !== picture);
    if (this.current === picture) this.current = this.pictures[Math.min(at, this.pictures.length - 1)] ?? null;
    picture.dispose();
    this.#remember();
  }

  async run(api: PublicApi) {
    const { request, current } = this;
    const runs = this.usesText ? this.#textRuns : current?.runs;
    if (!request || !runs) return;
    const key = this.usesText ? api.application : `${api.application} ${request.task}`;
    runs.get(key)?.stop();
    const run = new RecognitionRun(api, request, this.usesText ? null : (current?.file ?? null), i18n.language);
    runs.set(key, run);
    await run.start();
    if (run.result && request.task === 'similar' && !request.dataset) {
      writeSetting(
        'collections',
        JSON.stringify(
          [request.model, ...knownCollections().filter((one) => one !== request.model)].slice(0, MAX_COLLECTIONS),
        ),
      );
    }
  }

  dispose() {
    for (const run of this.#textRuns.values()) run.stop();
    for (const picture of this.pictures) picture.dispose();
  }
}
