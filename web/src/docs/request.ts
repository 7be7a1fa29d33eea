// A request to an operation, with the values of its examples or of the form: what is sent, in no language yet.
import type { Body, Field, Operation, Parameter } from './document';

/** A value that is written down, or one that programs take from the environment, because it is a secret. */
export type Value = string | { env: string };
export type FormField = { name: string; value: string } | { name: string; file: string };
export type Content =
  | { kind: 'json'; value: unknown }
  | { kind: 'form'; fields: FormField[] }
  | { kind: 'bytes'; contentType: string; file: string };

export interface SampleRequest {
  method: string;
  /** Address without its query. */
  address: string;
  query: [string, Value][];
  content: Content | null;
  keyIn: 'header' | 'query' | null;
  answers: 'json' | 'picture' | 'nothing';
}

export const KEY = { env: 'KAISATSU_KEY' };
const TOKEN = { env: 'KAISATSU_TOKEN' };
const PICTURE = 'photo.jpg';

/**
 * What the sample of an operation has besides what is required, where that alone would be refused or say little. Its
 * fields are of the query and of the body.
 */
export const SHOWN: Record<string, string[]> = {
  railmapDetail: ['stationName', 'gcs'],
  railmapList: ['stationName'],
  railmapData: ['x', 'y', 'width', 'height', 'format'],
  station: ['name', 'limit'],
  stationNear: ['radius', 'gcs'],
  conceptClassify: ['modelName', 'language'],
  objectDetectionDetect: ['minScore'],
  recognize: ['recog'],
  similarImageSearch: ['image', 'collection'],
  feedback: ['comment'],
  feedbackToCandidate: ['comment'],
  getThumbnail: ['collection', 'imageId'],
  listCollections: ['limit'],
  listItems: ['category', 'limit'],
  listImages: ['limit'],
  listDataSets: ['limit'],
  addItem: ['image', 'barcode'],
  addCollectionImage: ['tag'],
  removeItem: ['id'],
  removeCollection: ['imageId'],
  createDataSet: ['from'],
  updateDataSet: ['name'],
  uploadImage: ['tag'],
  modelTags: ['text'],
  searchCourse: ['from', 'to'],
  getDataSet: ['dataSetId'],
  deleteDataSet: ['dataSetId'],
  getDataSetByQuery: ['dataSetId'],
};
/** Values of the samples where the document has no example, or another one says more. */
export const VALUES: Record<string, string> = {
  category: 'book',
  collection: 'museum',
  dataSetId: 'dts_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz',
  format: 'png',
  gcs: 'wgs84',
  height: '500',
  imageId: 'img_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz',
  limit: '10',
  minScore: '0.5',
  radius: '500',
  recog: 'book',
  width: '500',
  x: '1100',
  y: '1200',
};

/** The request that the samples of an operation send. */
export function sampleRequest(operation: Operation, origin: string): SampleRequest {
  const isShown = ({ name, required }: Field) => required || (SHOWN[operation.id] ?? []).includes(name);
  const body = operation.bodies.find(({ contentType }) => contentType !== 'application/octet-stream');
  // What may stand in the query as well as in the form is shown in the form.
  const isInBody = ({ name }: Field) => body?.fields.some((field) => field.name === name) ?? false;
  const parameters = operation.parameters.filter(
    (field) => field.place !== 'header' && isShown(field) && !isInBody(field),
  );
  return {
    method: operation.method,
    address: addressOf(operation, origin, parameters),
    query: parameters
      .filter(({ place }) => place === 'query')
      .map((parameter) => [parameter.name, parameter.name === 'token' ? TOKEN : text(parameter)]),
    content: contentOf(body ?? operation.bodies[0], isShown),
    keyIn: operation.key,
    answers: answersOf(operation),
  };
}

function addressOf({ path }: Operation, origin: string, parameters: Parameter[]): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.name === name);
    return encodeURIComponent(parameter ? text(parameter) : name);
  });
  return origin + filled;
}

function contentOf(body: Body | undefined, isShown: (field: Field) => boolean): Content | null {
  if (!body) return null;
  const fields = body.fields.filter(isShown);
  if (body.contentType.startsWith('multipart/')) {
    return {
      kind: 'form',
      fields: fields.map((field) =>
        field.isFile ? { name: field.name, file: PICTURE } : { name: field.name, value: text(field) },
      ),
    };
  }
  if (body.contentType === 'application/json') {
    return { kind: 'json', value: Object.fromEntries(fields.map((field) => [field.name, jsonOf(field)])) };
  }
  return { kind: 'bytes', contentType: body.contentType, file: PICTURE };
}

function answersOf({ answers }: Operation): SampleRequest['answers'] {
  const success = answers.find(({ status }) => status.startsWith('2'));
  if (!success?.contentType) return 'nothing';
  return success.contentType.startsWith('application/json') ? 'json' : 'picture';
}

/** The value of a parameter or of a field of a form. */
function text(field: Field): string {
  const { example } = field;
  const known = VALUES[field.name];
  if (known !== undefined) return known;
  const one: unknown = Array.isArray(example) ? example[0] : example;
  if (one !== undefined) return typeof one === 'string' ? one : JSON.stringify(one);
  return field.options[0] ?? (field.kind.startsWith('boolean') ? 'true' : field.name);
}

function jsonOf(field: Field): unknown {
  if (field.fields.length > 0) {
    const inner = Object.fromEntries(
      field.fields.filter(({ required }) => required).map((one) => [one.name, jsonOf(one)]),
    );
    return field.isList ? [inner] : inner;
  }
  const value = text(field);
  if (field.kind.startsWith('integer') || field.kind.startsWith('number')) return Number(value);
  return field.isList ? [value] : value;
}

/** The query, with the key where that is its place. */
export function queryOf(request: SampleRequest): [string, Value][] {
  return request.keyIn === 'query' ? [['APIKEY', KEY], ...request.query] : request.query;
}

/** The query as it is sent, with the variables as they are given. */
export function queryText(request: SampleRequest, variable: (name: string) => string): string {
  const parts = queryOf(request).map(([name, value]) => {
    return `${encodeURIComponent(name)}=${typeof value === 'string' ? encodeURIComponent(value) : variable(value.env)}`;
  });
  return parts.length > 0 ? `?${parts.join('&')}` : '';
}

/** Whether a file is sent. */
export function hasFile(content: Content | null): boolean {
  return content?.kind === 'bytes' || (content?.kind === 'form' && content.fields.some((field) => 'file' in field));
}
