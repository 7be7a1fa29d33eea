import { describe, expect, it } from 'vitest';
import api from '../../openapi/api.json';
import { groupsOf, type Document } from './document';

const groups = groupsOf(api as unknown as Document);
const operations = groups.flatMap((group) => group.operations);
const operation = (id: string) => operations.find((one) => one.id === id)!;

describe('the document of the server', () => {
  it('is shown whole', () => {
    const ids = Object.values(api.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
    expect(operations.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(groups.map(({ name }) => name)).toEqual(api.tags.map(({ name }) => name));
  });

  it('says what a parameter may be', () => {
    const [width] = operation('railmapDetail').parameters.filter(({ name }) => name === 'width');
    expect(width).toMatchObject({ kind: 'integer, 1 to 500', required: false, place: 'query' });
    const [gcs] = operation('railmapDetail').parameters.filter(({ name }) => name === 'gcs');
    expect(gcs?.options).toEqual(['tokyo', 'wgs84']);
  });

  it('follows references into forms, bodies and answers', () => {
    const form = operation('conceptClassify').bodies[0]!;
    expect(form.contentType).toBe('multipart/form-data');
    expect(form.fields.find(({ name }) => name === 'image')).toMatchObject({
      required: true,
      isFile: true,
      kind: 'file',
    });
    const images = operation('createDataSet').bodies[0]!.fields.find(({ name }) => name === 'images')!;
    expect(images).toMatchObject({ isList: true, kind: 'list of object, at least 1 of them' });
    expect(images.fields.map(({ name }) => name).sort()).toEqual(['imageId', 'tag', 'url']);
    const answer = operation('railmapDetail').answers[0]!;
    expect(answer.status).toBe('200');
    expect(answer.fields[0]).toMatchObject({ name: 'ResultSet' });
    expect(JSON.parse(answer.example)).toHaveProperty('ResultSet.RailMap.Point');
  });

  it('has an example for every error', () => {
    for (const { id, answers, key } of operations) {
      for (const { status, example } of answers.filter((one) => key && one.status >= '400')) {
        expect(example, `${id} ${status}`).not.toBe('');
      }
    }
  });
});

const withParameter = (schema: object, security: object[] = []) =>
  groupsOf({
    info: { title: '', version: '' },
    tags: [{ name: 'a' }],
    paths: {
      '/x': {
        get: {
          operationId: 'x',
          tags: ['a'],
          responses: {},
          security,
          parameters: [{ name: 'p', in: 'query', schema }],
        },
      },
    },
  } as Document)[0]!.operations[0]!;

describe('a value', () => {
  it.each([
    [{ type: 'string', maxLength: 5 }, 'string, at most 5 characters'],
    [{ type: ['integer', 'null'], minimum: 1, maximum: 9, default: 3 }, 'integer, 1 to 9, default 3'],
    [{ type: 'integer', minimum: 2 }, 'integer, at least 2'],
    [{ type: 'array', items: { type: 'string' }, maxItems: 3 }, 'list of string, at most 3 of them'],
    [{}, 'string'],
  ])('%j is "%s"', (schema, kind) => {
    expect(withParameter(schema).parameters[0]!.kind).toBe(kind);
  });

  it('that refers to itself ends', () => {
    const document = {
      info: { title: '', version: '' },
      tags: [{ name: 'a' }],
      paths: {
        '/x': {
          get: {
            operationId: 'x',
            tags: ['a'],
            responses: {
              '200': { content: { 'application/json': { schema: { $ref: '#/components/schemas/Tree' } } } },
            },
          },
        },
      },
      components: { schemas: { Tree: { properties: { child: { $ref: '#/components/schemas/Tree' } } } } },
    } as unknown as Document;
    expect(groupsOf(document)[0]!.operations[0]!.answers[0]!.fields[0]!.name).toBe('child');
  });
});

it('the key goes where the server takes it', () => {
  expect(withParameter({}).key).toBeNull();
  expect(withParameter({}, [{ APIKEY: [] }]).key).toBe('query');
  expect(withParameter({}, [{ APIKEY: [] }, { 'X-API-Key': [] }]).key).toBe('header');
});
