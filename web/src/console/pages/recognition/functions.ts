import { toText } from '$shared/text';
import type { PublicAnswer, PublicApi } from '$/lib/public';
import type { Box } from './orientation';

/** What the bench can do with a picture. */
export const FUNCTIONS = ['classify', 'detect', 'similar', 'recognize'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];
export const isFunction = (text: string | null): text is FunctionName =>
  (FUNCTIONS as readonly (string | null)[]).includes(text);

export const KINDS = ['product-all', 'book', 'cd', 'dvd', 'game', 'software', 'food'] as const;
export type Kind = (typeof KINDS)[number];
export type Tongue = 'en' | 'ja' | 'both';
/** How many candidates can be asked for, and how many are usual. */
export const CANDIDATES: Record<FunctionName, { most: number; usual: number }> = {
  classify: { most: 50, usual: 5 },
  detect: { most: 100, usual: 20 },
  similar: { most: 50, usual: 10 },
  recognize: { most: 50, usual: 10 },
};

/** All that decides an answer besides the picture. */
export type Ask = {
  task: FunctionName;
  /** A model, or the collection of a search; empty for the server's own choice. */
  model: string;
  /** Instead of a model: a dataset, and whose it is. */
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
  /** What it stands for, the same in another recognition of the same picture. */
  subject: string;
  name: string;
  /** Its name in the other language, where both were asked for. */
  otherName: string;
  score: number;
  /** In pixels of the file, before its orientation tag is followed. */
  box: Box | null;
  /** Of a search: the image that is alike. */
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
  /** Of the file, where the answer says so. */
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
/** Ids in a collection are paths that people gave; those of stored images say nothing, so the tag stands first. */
const nameOf = (id: string, tag: string, stored: boolean) => (stored ? `${tag} (…${id.slice(-4)})`.trim() : id);
const plain = { otherName: '', box: null, image: null, item: null };

/** The words of the request beside the picture: fields of the form, or of the query of `recognize`. */
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

/** The same request for a shell. Messages are given by --form-string, which does not take `@` and `<` for files. */
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

/** Asks in one language; `recognize` takes the picture itself, all others a form. */
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
  // A type of its own in place of the file's, which can be empty or wrong; the server looks at the bytes.
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

/** Recognises; where both languages are wanted the second request only lends its names, feedback goes to the first. */
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
