import { toText } from '$shared/text';
import type { PublicAnswer, PublicApi } from '$/lib/public';
import type { Box } from './orientation';

/** The recognition functions of the playground. */
export const FUNCTIONS = ['classify', 'detect', 'similar', 'recognize'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];
export const isFunction = (text: string | null): text is FunctionName =>
  (FUNCTIONS as readonly (string | null)[]).includes(text);

export const KINDS = ['product-all', 'book', 'cd', 'dvd', 'game', 'software', 'food'] as const;
export type Kind = (typeof KINDS)[number];
export type Tongue = 'en' | 'ja' | 'both';
/** The maximum and the default number of candidates. */
export const CANDIDATES: Record<FunctionName, { most: number; usual: number }> = {
  classify: { most: 50, usual: 5 },
  detect: { most: 100, usual: 20 },
  similar: { most: 50, usual: 10 },
  recognize: { most: 50, usual: 10 },
};

/** Everything that determines a result besides the picture. */
export type Ask = {
  task: FunctionName;
  /** A model, or the collection to search. Empty for the server's default. */
  model: string;
  /** A user's dataset instead of a model. */
  dataSet: { id: string; user: string } | null;
  kind: Kind;
  most: number;
  minScore: number;
  tongue: Tongue;
};

export type Site = { url: string; title: string; imageUrl: string };
export type Evidence = PublicAnswer<'post', '/imageRecognition/v1/recognize'>['candidates'][number]['evidence'];
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
  /** The similar image of a search. */
  image: { id: string; url: string; tag: string } | null;
  item: {
    category: string;
    imageUrl: string;
    detail: Record<string, unknown>;
    sites: Site[];
    evidence: Evidence;
  } | null;
};
export type Result = {
  recognitionId: string;
  candidates: Candidate[];
  /** The size of the file, if the response contains it. */
  size: { width: number; height: number } | null;
  milliseconds: number;
  answer: unknown;
};

const ROOT = '/imageRecognition/v1';
const PATHS = {
  classify: `${ROOT}/concept/classify`,
  detect: `${ROOT}/objectDetection/detect`,
  similar: `${ROOT}/similarImage/search`,
  recognize: `${ROOT}/recognize`,
} as const;
const boxOf = (from: Box): Box => ({ xMin: from.xMin, yMin: from.yMin, xMax: from.xMax, yMax: from.yMax });
/** Ids of images in a collection are meaningful paths. Those of stored images are not, so the tag comes first. */
const nameOf = (id: string, tag: string, stored: boolean) => (stored ? `${tag} (…${id.slice(-4)})`.trim() : id);
const plain = { otherName: '', box: null, image: null, item: null };

/** The parameters besides the picture: form fields, or the query of `recognize`. */
function words(ask: Ask, language: 'en' | 'ja'): [string, string][] {
  const all: [string, string | null][] = [
    ['dataSetId', ask.dataSet?.id ?? null],
    ['modelName', ask.dataSet || ask.task === 'similar' || ask.task === 'recognize' ? null : ask.model],
    ['collection', ask.dataSet || ask.task !== 'similar' ? null : ask.model],
    ['recog', ask.task === 'recognize' ? ask.kind : null],
    ['numOfCandidates', String(ask.most)],
    ['minScore', ask.task === 'detect' ? String(ask.minScore) : null],
    ['language', (ask.task === 'classify' && !ask.dataSet) || ask.task === 'detect' ? language : null],
  ];
  return all.filter((pair): pair is [string, string] => pair[1] !== null && pair[1] !== '');
}

const firstLanguage = (ask: Ask, own: 'en' | 'ja') => (ask.tongue === 'both' ? own : ask.tongue);

/** The request as a curl command. Parameters use --form-string, which does not interpret `@` and `<`. */
export function curl(ask: Ask, own: 'en' | 'ja', origin: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const given = words(ask, firstLanguage(ask, own));
  const token = ask.dataSet ? '&token=$KAISATSU_TOKEN' : '';
  const address = `${origin}${PATHS[ask.task]}?APIKEY=$KAISATSU_KEY${token}`;
  if (ask.task === 'recognize') {
    const query = given.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join('');
    return `curl -H 'Content-Type: application/octet-stream' --data-binary @photo.jpg \\\n  "${address}${query}"`;
  }
  const form = [
    '-F image=@photo.jpg',
    ...given.map(([name, value]) => `--form-string ${quoted(`${name}=${value}`)}`),
  ].join(' \\\n  ');
  const before = ask.dataSet
    ? `KAISATSU_TOKEN=$(curl -s --json ${quoted(JSON.stringify({ userId: ask.dataSet.user }))} \\\n  "${origin}${ROOT}/userCategory/getToken?APIKEY=$KAISATSU_KEY" | jq -r .token)\n`
    : '';
  return `${before}curl ${form} \\\n  "${address}"`;
}

/** Sends a request for one language. `recognize` takes the picture as the body, all others a form. */
async function once(api: PublicApi, ask: Ask, file: Blob, language: 'en' | 'ja', signal: AbortSignal): Promise<Result> {
  const caller = ask.dataSet ? api.as(ask.dataSet.user) : api;
  const given = words(ask, language);
  const form = new FormData();
  form.append('image', file, 'photo');
  for (const [name, value] of given) form.append(name, value);
  const began = performance.now();
  const result = (answer: { recognitionId: string }, candidates: Candidate[], size: Result['size'] = null): Result => ({
    recognitionId: answer.recognitionId,
    candidates,
    size,
    milliseconds: performance.now() - began,
    answer,
  });
  if (ask.task === 'classify') {
    const answer = await caller.upload(PATHS.classify, form, { signal });
    return result(
      answer,
      answer.candidates.map((one) => ({
        ...plain,
        itemId: one.itemId,
        subject: one.tagId,
        name: one.tag,
        score: one.score,
      })),
    );
  }
  if (ask.task === 'detect') {
    const answer = await caller.upload(PATHS.detect, form, { signal });
    const candidates = answer.candidates.map((one) => ({
      ...plain,
      itemId: one.itemId,
      subject: one.tagId,
      name: one.tag,
      score: one.score,
      box: boxOf(one),
    }));
    return result(answer, candidates, { width: answer.width, height: answer.height });
  }
  if (ask.task === 'similar') {
    const answer = await caller.upload(PATHS.similar, form, { signal });
    return result(
      answer,
      answer.candidates.map((one) => ({
        ...plain,
        itemId: one.itemId,
        subject: one.imageId,
        name: nameOf(one.imageId, one.tag, ask.dataSet !== null),
        score: one.score,
        image: { id: one.imageId, url: one.imageUrl, tag: one.tag },
      })),
    );
  }
  // The type of the file may be missing or wrong, and the server detects it from the content.
  const picture = new Blob([file], { type: 'application/octet-stream' });
  const answer = await caller.upload(PATHS.recognize, picture, { query: Object.fromEntries(given), signal });
  return result(
    answer,
    answer.candidates.map((one) => {
      const detail: Record<string, unknown> = one.detail;
      const item = {
        category: one.category,
        imageUrl: one.imageUrl,
        detail,
        sites: one.sites as unknown as Site[],
        evidence: one.evidence,
      };
      return {
        ...plain,
        itemId: one.itemId,
        subject: toText(detail.id ?? one.itemId),
        name: toText(detail.itemName ?? detail.id ?? ''),
        score: one.score,
        box: boxOf(one.evidence),
        item,
      };
    }),
  );
}

/**
 * Recognises a picture. If both languages are requested, a second request only adds names; feedback refers to the
 * first.
 */
export async function recognise(
  api: PublicApi,
  ask: Ask,
  file: Blob,
  own: 'en' | 'ja',
  signal: AbortSignal,
): Promise<Result> {
  const first = await once(api, ask, file, firstLanguage(ask, own), signal);
  const named = (ask.task === 'classify' && !ask.dataSet) || ask.task === 'detect';
  if (ask.tongue !== 'both' || !named || first.candidates.length === 0) return first;
  const second = await once(api, ask, file, own === 'en' ? 'ja' : 'en', signal);
  const names = new Map(second.candidates.map((one) => [one.subject, one.name]));
  return { ...first, candidates: first.candidates.map((one) => ({ ...one, otherName: names.get(one.subject) ?? '' })) };
}
