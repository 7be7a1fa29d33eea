// Sends the request of the form and reads the answer.
import type { Body, Field, Operation } from './document';

export interface Values {
  parameters: Record<string, string | undefined>;
  fields: Record<string, string | undefined>;
  /** By the name of the field; the bare file of a body has none. */
  files: Record<string, File | undefined>;
}
export interface Received {
  status: string;
  milliseconds: number;
  contentType: string;
  requestId: string;
  text: string;
  picture: Blob | null;
}
interface Secrets {
  key: string;
  token: string;
}

export async function send(
  operation: Operation,
  body: Body | undefined,
  values: Values,
  secrets: Secrets,
): Promise<Received> {
  const begun = performance.now();
  const answer = await fetch(addressOf(operation, values, secrets), {
    method: operation.method,
    headers: headersOf(operation, body, values, secrets),
    body: bodyOf(body, values),
    // The console's cookie is none of the API's business.
    credentials: 'omit',
    redirect: 'error',
  });
  const contentType = answer.headers.get('Content-Type') ?? '';
  const isPicture = /^image\/(png|jpeg|gif|webp|svg)/.test(contentType);
  const picture = isPicture ? await answer.blob() : null;
  return {
    status: `${answer.status} ${answer.statusText}`.trim(),
    milliseconds: Math.round(performance.now() - begun),
    contentType,
    requestId: answer.headers.get('X-Request-Id') ?? '',
    text: picture ? '' : pretty(contentType, await answer.text()),
    picture,
  };
}

/** The address with the query, in which an empty field is left out. */
export function addressOf(operation: Operation, { parameters }: Values, { key, token }: Secrets): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  const query = new URLSearchParams();
  if (operation.key === 'query') query.set('APIKEY', key);
  for (const { name, place } of operation.parameters) {
    const value = name === 'token' ? token : parameters[name];
    if (place === 'query' && value) query.set(name, value);
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

export function headersOf(
  operation: Operation,
  body: Body | undefined,
  { parameters }: Values,
  { key }: Secrets,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (operation.key === 'header' && key) headers['X-API-Key'] = key;
  for (const { name, place } of operation.parameters) {
    const value = parameters[name];
    if (place === 'header' && value) headers[name] = value;
  }
  // The browser adds the boundary of a form.
  if (body && !body.contentType.startsWith('multipart/')) headers['Content-Type'] = body.contentType;
  return headers;
}

export function bodyOf(body: Body | undefined, { fields, files }: Values): BodyInit | undefined {
  if (!body) return undefined;
  if (body.contentType === 'application/json') {
    const given = body.fields.filter(({ name }) => fields[name]);
    return JSON.stringify(Object.fromEntries(given.map((field) => [field.name, valueOf(field, fields[field.name]!)])));
  }
  if (!body.contentType.startsWith('multipart/')) return files[''];
  const form = new FormData();
  for (const { name, isFile } of body.fields) {
    const value = isFile ? files[name] : fields[name];
    if (value) form.append(name, value);
  }
  return form;
}

function valueOf(field: Field, text: string): unknown {
  if (field.fields.length === 0 && !field.isList && !/^(integer|number|boolean)/.test(field.kind)) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${field.name} is not JSON`);
  }
}

function pretty(contentType: string, text: string): string {
  if (!contentType.startsWith('application/json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
