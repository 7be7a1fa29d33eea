// Reads the OpenAPI document into what the page shows: operations with their parameters, bodies and answers.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  example?: unknown;
  default?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  allOf?: Schema[];
}
interface RawParameter {
  name: string;
  in: 'query' | 'path' | 'header';
  description?: string;
  required?: boolean;
  schema?: Schema;
  example?: unknown;
}
type Content = Record<string, { schema?: Schema; example?: unknown }>;
interface RawOperation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: RawParameter[];
  requestBody?: { description?: string; required?: boolean; content?: Content };
  responses: Record<string, { description?: string; content?: Content }>;
  security?: Record<string, unknown>[];
}
export interface Document {
  info: { title: string; version: string; description?: string };
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, RawOperation>>;
  components?: { schemas?: Record<string, Schema> };
}

/** A parameter, or a field of a body or an answer. */
export interface Field {
  name: string;
  /** Such as `integer, 1 to 500`. */
  kind: string;
  required: boolean;
  description: string;
  example: unknown;
  options: string[];
  isFile: boolean;
  isList: boolean;
  /** The fields of an object, or of the objects of a list. */
  fields: Field[];
}
export interface Parameter extends Field {
  place: 'query' | 'path' | 'header';
}
export interface Body {
  contentType: string;
  required: boolean;
  description: string;
  fields: Field[];
}
export interface Answer {
  status: string;
  description: string;
  contentType: string;
  /** The example as text; empty without one. */
  example: string;
  fields: Field[];
}
export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  bodies: Body[];
  answers: Answer[];
  /** Where the key goes; `null` where none is needed. */
  key: 'header' | 'query' | null;
}
export interface Group {
  name: string;
  description: string;
  operations: Operation[];
}

/** The operations by group, both in the order of the document. */
export function groupsOf(document: Document): Group[] {
  const groups = (document.tags ?? []).map(({ name, description = '' }) => ({
    name,
    description,
    operations: [] as Operation[],
  }));
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, raw] of Object.entries(methods)) {
      const group = groups.find(({ name }) => name === raw.tags?.[0]);
      group?.operations.push(operationOf(document, method.toUpperCase(), path, raw));
    }
  }
  return groups.filter(({ operations }) => operations.length > 0);
}

function operationOf(document: Document, method: string, path: string, raw: RawOperation): Operation {
  const schemes = (raw.security ?? []).flatMap((scheme) => Object.keys(scheme));
  return {
    id: raw.operationId,
    method,
    path,
    summary: raw.summary ?? '',
    description: raw.description ?? '',
    parameters: (raw.parameters ?? []).map((parameter) => ({
      ...fieldOf(document, parameter.name, parameter.schema ?? {}, parameter.required ?? false),
      place: parameter.in,
      description: parameter.description ?? '',
      example: parameter.example ?? parameter.schema?.example,
    })),
    bodies: Object.entries(raw.requestBody?.content ?? {}).map(([contentType, { schema }]) => ({
      contentType,
      required: raw.requestBody?.required ?? false,
      description: raw.requestBody?.description ?? '',
      fields: fieldsOf(document, schema),
    })),
    answers: Object.entries(raw.responses).map(([status, answer]) => answerOf(document, status, answer)),
    key: schemes.length === 0 ? null : schemes.includes('X-API-Key') ? 'header' : 'query',
  };
}

function answerOf(document: Document, status: string, raw: RawOperation['responses'][string]): Answer {
  const [contentType = '', content] = Object.entries(raw.content ?? {})[0] ?? [];
  const example = content?.example;
  return {
    status,
    description: raw.description ?? '',
    contentType,
    example: example === undefined ? '' : typeof example === 'string' ? example : JSON.stringify(example, null, 2),
    fields: fieldsOf(document, content?.schema),
  };
}

// Deeper fields are in the examples; a reference that contains itself would have no end.
const DEPTH = 4;

function fieldsOf(document: Document, schema: Schema | undefined, depth = DEPTH): Field[] {
  const { properties = {}, required = [] } = resolve(document, schema ?? {});
  if (depth === 0) return [];
  return Object.entries(properties).map(([name, property]) =>
    fieldOf(document, name, property, required.includes(name), depth),
  );
}

function fieldOf(document: Document, name: string, schema: Schema, required: boolean, depth = DEPTH): Field {
  const resolved = resolve(document, schema);
  const isList = typesOf(resolved).includes('array');
  const inner = isList ? resolve(document, resolved.items ?? {}) : resolved;
  return {
    name,
    kind: kindOf(document, resolved),
    required,
    description: schema.description ?? resolved.description ?? '',
    example: schema.example ?? resolved.example,
    options: (inner.enum ?? []).map(written),
    isFile: inner.format === 'binary',
    isList,
    fields: fieldsOf(document, inner, depth - 1),
  };
}

/** A schema with its reference followed and its parts joined. */
function resolve(document: Document, schema: Schema): Schema {
  if (schema.$ref) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    const found = resolve(document, document.components?.schemas?.[name] ?? {});
    return schema.description === undefined ? found : { ...found, description: schema.description };
  }
  if (!schema.allOf) return schema;
  const parts = [...schema.allOf.map((part) => resolve(document, part)), { ...schema, allOf: undefined }];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Schema['properties'],
    required: parts.flatMap(({ required = [] }) => required),
  };
}

const typesOf = ({ type = [] }: Schema) => (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');

/** What a value may be, in words. */
function kindOf(document: Document, schema: Schema): string {
  const types = typesOf(schema);
  if (types.includes('array')) {
    const items = `list of ${kindOf(document, resolve(document, schema.items ?? {}))}`;
    return join([items, span(schema.minItems, schema.maxItems, ' of them')]);
  }
  const kind = schema.format === 'binary' ? 'file' : (types[0] ?? (schema.properties ? 'object' : 'string'));
  return join([
    kind,
    span(schema.minimum, schema.maximum, ''),
    span(schema.minLength, schema.maxLength, ' characters'),
    schema.default === undefined ? '' : `default ${written(schema.default)}`,
  ]);
}

const written = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const join = (parts: string[]) => parts.filter((part) => part !== '').join(', ');

function span(least: number | undefined, most: number | undefined, unit: string): string {
  if (most === undefined) return least === undefined || least <= 0 ? '' : `at least ${least}${unit}`;
  return least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`;
}
