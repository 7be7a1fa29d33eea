import { describe, expect, it } from 'vitest';
import api from '../../openapi/api.json';
import { LANGUAGES } from './code';
import { groupsOf, type Document } from './document';
import { SHOWN, sampleRequest, VALUES, type SampleRequest } from './request';

const operations = groupsOf(api as unknown as Document).flatMap((group) => group.operations);
const sample = (id: string) =>
  sampleRequest(
    operations.find((one) => one.id === id)!,
    'http://host:1',
  );
const code = (language: string, request: SampleRequest) =>
  LANGUAGES.find(({ name }) => name === language)!.write(request);

it('what is shown is in the document', () => {
  for (const [id, names] of Object.entries(SHOWN)) {
    const operation = operations.find((one) => one.id === id);
    const known = [...(operation?.parameters ?? []), ...(operation?.bodies ?? []).flatMap(({ fields }) => fields)];
    for (const name of names)
      expect(
        known.map((field) => field.name),
        id,
      ).toContain(name);
  }
  const all = operations.flatMap(({ parameters, bodies }) => [
    ...parameters,
    ...bodies.flatMap(({ fields }) => fields),
  ]);
  for (const name of Object.keys(VALUES)) expect(all.map((field) => field.name)).toContain(name);
});

describe('samples', () => {
  it('of a query, a form, JSON, a bare file and a path', () => {
    expect(sample('railmapDetail')).toMatchObject({
      method: 'GET',
      query: [
        ['id', 'tokyo'],
        ['stationName', '高円寺'],
        ['gcs', 'wgs84'],
      ],
      content: null,
      keyIn: 'header',
      answers: 'json',
    });
    expect(sample('conceptClassify').content).toEqual({
      kind: 'form',
      fields: [
        { name: 'image', file: 'photo.jpg' },
        { name: 'language', value: 'ja' },
        { name: 'modelName', value: 'general' },
      ],
    });
    expect(sample('uploadImage').query, 'tag is in the form').toEqual([['token', { env: 'KAISATSU_TOKEN' }]]);
    expect(sample('getToken').content).toEqual({ kind: 'json', value: { userId: 'user-42' } });
    expect(sample('recognize').content).toMatchObject({ kind: 'bytes', contentType: 'application/octet-stream' });
    expect(sample('modelTags').address).toMatch(/\/models\/[a-z]+\/tags$/);
    expect(sample('feedbackToCandidate').answers).toBe('nothing');
    expect(sample('railmapData').answers).toBe('picture');
  });

  it('name secrets and do not contain them', () => {
    expect(sample('getDataSet').query).toEqual([['token', { env: 'KAISATSU_TOKEN' }]]);
    for (const operation of operations) {
      for (const { name, write } of LANGUAGES) {
        const text = write(sampleRequest(operation, 'http://host:1'));
        expect(text.includes('KAISATSU_KEY'), `${name}, ${operation.id}`).toBe(operation.key !== null);
        expect(text.includes('KAISATSU_TOKEN')).toBe(
          operation.parameters.some((one) => one.name === 'token' && one.required),
        );
        expect(text).not.toMatch(/undefined|\[object/);
      }
    }
  });
});

describe('code', () => {
  const hostile: SampleRequest = {
    method: 'POST',
    address: 'http://host:1/x',
    query: [['q', `a'b"c$d &é`]],
    content: { kind: 'form', fields: [{ name: 'f', value: `@it's "$HOME"\n` }] },
    keyIn: 'query',
    answers: 'json',
  };

  it('quotes what its language would take for its own', () => {
    expect(code('curl', hostile)).toContain(`--form-string 'f=@it'\\''s "$HOME"\n'`);
    expect(code('curl', hostile)).toContain('"http://host:1/x?APIKEY=$KAISATSU_KEY&q=a\'b%22c%24d%20%26%C3%A9"');
    expect(code('Kotlin', hostile)).toContain(String.raw`"@it's \"\$HOME\"\n"`);
    expect(code('Kotlin', hostile)).toContain('.addQueryParameter("APIKEY", System.getenv("KAISATSU_KEY"))');
    expect(code('Swift', hostile)).toContain(String.raw`\"$HOME\"\n\r\n`);
    expect(code('Java', hostile)).toContain(
      'URI.create("http://host:1/x?APIKEY=" + System.getenv("KAISATSU_KEY") + "&q=',
    );
    expect(code('Python', hostile)).toContain(String.raw`data={"f": "@it's \"$HOME\"\n"}`);
    expect(code('JavaScript', hostile)).toContain('APIKEY: process.env.KAISATSU_KEY');
    expect(code('JavaScript', hostile)).toContain(String.raw`body.append('f', '@it\'s "$HOME"\n');`);
  });

  it('of Python has no constants of JavaScript', () => {
    const request: SampleRequest = { ...hostile, content: { kind: 'json', value: { a: [true, null, 1, 'x'] } } };
    expect(code('Python', request)).toContain('json={"a": [True, None, 1, "x"]}');
  });
});
