import { toText } from '$shared/text';
import type { CallOptions, Evidence, Kaisatsu, Site } from '$sdk/index';
import type { PublicApi } from '$/lib/public';
import { boxAround, type Box, type Point } from './orientation';

/** The recognition functions of the playground. */
export const FUNCTIONS = ['classify', 'detect', 'similar', 'recognize', 'readText'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];
export const isFunction = (text: string | null): text is FunctionName =>
  (FUNCTIONS as readonly (string | null)[]).includes(text);

export const KINDS = ['product-all', 'book', 'cd', 'dvd', 'game', 'software', 'food'] as const;
export type Kind = (typeof KINDS)[number];
export type NameLanguage = 'en' | 'ja' | 'both';
/** The language of the text to be read. Empty for all characters. */
export type TextLanguage = '' | 'ja' | 'en';
/** `text/read` takes no number of candidates. */
export type CountedFunction = Exclude<FunctionName, 'readText'>;
/** The maximum and the default number of candidates. */
export const CANDIDATES: Record<CountedFunction, { max: number; default: number }> = {
  classify: { max: 50, default: 5 },
  detect: { max: 100, default: 20 },
  similar: { max: 50, default: 10 },
  recognize: { max: 50, default: 10 },
};

/** Everything that determines a result besides the picture. */
export type RecognitionRequest = {
  task: FunctionName;
  /** A model, or the collection to search. Empty for the server's default. */
  model: string;
  /** A user's dataset instead of a model. */
  dataset: { id: string; user: string } | null;
  kind: Kind;
  maxCandidates: number;
  minScore: number;
  /** Whether objects are searched in tiles of the picture too. */
  highAccuracy: boolean;
  nameLanguage: NameLanguage;
  textLanguage: TextLanguage;
  /** What similar images should show, in words, instead of a picture. Empty for a picture. */
  text: string;
};

export type { Evidence, Site };
export type Candidate = {
  itemId: string;
  /** The identity of the candidate, the same in all recognitions of a picture. */
  subject: string;
  name: string;
  /** The name in the other language, if both were requested. */
  otherName: string;
  score: number;
  /** In pixels of the file, before its orientation tag is applied. */
  box: Box | null;
  /** A line of text may be askew. In pixels of the file. */
  corners: Point[] | null;
  /** The similar image of a search. */
  image: { id: string; url: string; tag: string; thumbnailUrl: string | undefined } | null;
  item: {
    category: string;
    imageUrl: string;
    thumbnailUrl: string | undefined;
    detail: Record<string, unknown>;
    sites: Site[];
    evidence: Evidence | undefined;
  } | null;
};
export type Result = {
  recognitionId: string;
  candidates: Candidate[];
  /** The size of the file, if the response contains it. */
  size: { width: number; height: number } | null;
  milliseconds: number;
  response: unknown;
};

const ROOT = '/imageRecognition/v1';
const PATHS = {
  classify: `${ROOT}/concept/classify`,
  detect: `${ROOT}/objectDetection/detect`,
  similar: `${ROOT}/similarImage/search`,
  recognize: `${ROOT}/recognize`,
  readText: `${ROOT}/text/read`,
} as const;
const boxOf = (from: Box): Box => ({ xMin: from.xMin, yMin: from.yMin, xMax: from.xMax, yMax: from.yMax });
/** Ids of images in a collection are meaningful paths. Those of stored images are not, so the tag comes first. */
const nameOf = (id: string, tag: string, stored: boolean) => (stored ? `${tag} (…${id.slice(-4)})`.trim() : id);
const EMPTY_CANDIDATE = { otherName: '', box: null, corners: null, image: null, item: null };

/** The parameters besides the picture: form fields, or the query of `recognize`. */
function parametersOf(request: RecognitionRequest, language: 'en' | 'ja'): [string, string][] {
  if (request.task === 'readText') return request.textLanguage ? [['language', request.textLanguage]] : [];
  const all: [string, string | null][] = [
    ['dataSetId', request.dataset?.id ?? null],
    ['modelName', request.dataset || request.task === 'similar' || request.task === 'recognize' ? null : request.model],
    ['collection', request.dataset || request.task !== 'similar' ? null : request.model],
    ['text', request.text],
    ['recog', request.task === 'recognize' ? request.kind : null],
    ['numOfCandidates', String(request.maxCandidates)],
    ['minScore', request.task === 'detect' ? String(request.minScore) : null],
    ['accuracy', request.task === 'detect' && request.highAccuracy ? 'high' : null],
    ['language', (request.task === 'classify' && !request.dataset) || request.task === 'detect' ? language : null],
  ];
  return all.filter((pair): pair is [string, string] => pair[1] !== null && pair[1] !== '');
}

const firstLanguage = (request: RecognitionRequest, uiLanguage: 'en' | 'ja') =>
  request.nameLanguage === 'both' ? uiLanguage : request.nameLanguage;

/** The request as a curl command. Parameters use --form-string, which does not interpret `@` and `<`. */
export function curl(request: RecognitionRequest, uiLanguage: 'en' | 'ja', origin: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const parameters = parametersOf(request, firstLanguage(request, uiLanguage));
  const token = request.dataset ? '&token=$KAISATSU_TOKEN' : '';
  const address = `${origin}${PATHS[request.task]}?APIKEY=$KAISATSU_KEY${token}`;
  if (request.task === 'recognize') {
    const query = parameters.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join('');
    return `curl -H 'Content-Type: application/octet-stream' --data-binary @photo.jpg \\\n  "${address}${query}"`;
  }
  const form = [
    ...(request.text ? [] : ['-F image=@photo.jpg']),
    ...parameters.map(([name, value]) => `--form-string ${quoted(`${name}=${value}`)}`),
  ].join(' \\\n  ');
  const before = request.dataset
    ? `KAISATSU_TOKEN=$(curl -s --json ${quoted(JSON.stringify({ userId: request.dataset.user }))} \\\n  "${origin}${ROOT}/userCategory/getToken?APIKEY=$KAISATSU_KEY" | jq -r .token)\n`
    : '';
  return `${before}curl ${form} \\\n  "${address}"`;
}

/** Sends a request for one language. */
async function sendRequest(
  api: PublicApi,
  request: RecognitionRequest,
  file: Blob | null,
  language: 'en' | 'ja',
  signal: AbortSignal,
): Promise<Result> {
  const caller = request.dataset ? api.as(request.dataset.user) : api;
  // The names of the parameters are those of the client's arguments. The file is sent without its name.
  const texts = Object.fromEntries(parametersOf(request, language));
  const { numOfCandidates, minScore, ...rest } = texts;
  const parameters = {
    ...rest,
    ...(numOfCandidates && { numOfCandidates: Number(numOfCandidates) }),
    ...(minScore && { minScore: Number(minScore) }),
    image: new Blob(file ? [file] : [], { type: 'application/octet-stream' }),
  };
  const call = <T>(use: (recognition: Kaisatsu['recognition'], options: CallOptions, token: object) => Promise<T>) =>
    caller.call((client, options, token) => use(client.recognition, options, token ? { token } : {}), { signal });
  const began = performance.now();
  const result = (
    response: { recognitionId: string },
    candidates: Candidate[],
    size: Result['size'] = null,
  ): Result => ({
    recognitionId: response.recognitionId,
    candidates,
    size,
    milliseconds: performance.now() - began,
    response,
  });
  if (request.task === 'classify') {
    const response = await call((recognition, options, token) =>
      recognition.classify({ ...parameters, ...token }, options),
    );
    return result(
      response,
      response.candidates.map((one) => ({
        ...EMPTY_CANDIDATE,
        itemId: one.itemId,
        subject: one.tagId ?? one.tag,
        name: one.tag,
        score: one.score,
      })),
    );
  }
  if (request.task === 'detect') {
    const response = await call((recognition, options) => recognition.detect(parameters, options));
    const candidates = response.candidates.map((one) => ({
      ...EMPTY_CANDIDATE,
      itemId: one.itemId,
      subject: one.tagId ?? one.tag,
      name: one.tag,
      score: one.score,
      box: boxOf(one),
    }));
    return result(response, candidates, { width: response.width, height: response.height });
  }
  if (request.task === 'similar') {
    const { image, ...words } = parameters;
    const sought = request.text ? words : { ...words, image };
    const response = await call((recognition, options, token) => recognition.similar({ ...sought, ...token }, options));
    return result(
      response,
      response.candidates.map((one) => ({
        ...EMPTY_CANDIDATE,
        itemId: one.itemId,
        subject: one.imageId,
        name: nameOf(one.imageId, one.tag, request.dataset !== null),
        score: one.score,
        image: { id: one.imageId, url: one.imageUrl, tag: one.tag, thumbnailUrl: one.thumbnailUrl },
      })),
    );
  }
  if (request.task === 'readText') {
    const response = await call((recognition, options) => recognition.readText(parameters, options));
    const candidates = response.candidates.map((one) => ({
      ...EMPTY_CANDIDATE,
      itemId: one.itemId,
      subject: one.text,
      name: one.text,
      score: one.score,
      box: boxAround(one.corners),
      corners: one.corners,
    }));
    return result(response, candidates, { width: response.width, height: response.height });
  }
  const response = await call((recognition, options) => recognition.recognize(parameters, options));
  return result(
    response,
    response.candidates.map((one) => {
      const detail: Record<string, unknown> = one.detail;
      const item = {
        category: one.category,
        imageUrl: one.imageUrl,
        thumbnailUrl: one.thumbnailUrl,
        detail,
        sites: one.sites,
        evidence: one.evidence,
      };
      return {
        ...EMPTY_CANDIDATE,
        itemId: one.itemId,
        subject: toText(detail.id ?? one.itemId),
        name: toText(detail.itemName ?? detail.id ?? ''),
        score: one.score,
        box: one.evidence ? boxOf(one.evidence) : null,
        item,
      };
    }),
  );
}

/**
 * Recognises a picture, or searches for a text without one. If both languages are requested, a second request only adds
 * names; feedback refers to the first.
 */
export async function recognise(
  api: PublicApi,
  request: RecognitionRequest,
  file: Blob | null,
  uiLanguage: 'en' | 'ja',
  signal: AbortSignal,
): Promise<Result> {
  const first = await sendRequest(api, request, file, firstLanguage(request, uiLanguage), signal);
  const named = (request.task === 'classify' && !request.dataset) || request.task === 'detect';
  if (request.nameLanguage !== 'both' || !named || first.candidates.length === 0) return first;
  const second = await sendRequest(api, request, file, uiLanguage === 'en' ? 'ja' : 'en', signal);
  const names = new Map(second.candidates.map((one) => [one.subject, one.name]));
  return { ...first, candidates: first.candidates.map((one) => ({ ...one, otherName: names.get(one.subject) ?? '' })) };
}
