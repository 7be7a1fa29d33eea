import { expect, it } from 'vitest';
import type { Body, Operation, Parameter } from './document';
import { addressOf, bodyOf, headersOf, type Values } from './send';

const field = (name: string, more: Partial<Parameter> = {}): Parameter => ({
  name,
  kind: 'string',
  required: false,
  description: '',
  example: undefined,
  options: [],
  isFile: false,
  isList: false,
  fields: [],
  place: 'query',
  ...more,
});
const operation = (key: Operation['key'], ...parameters: Parameter[]): Operation => ({
  id: 'x',
  method: 'POST',
  path: '/v1/{name}/x',
  summary: '',
  description: '',
  parameters,
  bodies: [],
  answers: [],
  key,
});
const body = (contentType: string, ...fields: Parameter[]): Body => ({
  contentType,
  required: true,
  description: '',
  fields,
});
const values = (parts: Partial<Values>): Values => ({ parameters: {}, fields: {}, files: {}, ...parts });
const secrets = { key: 'ksk_1', token: 'kst_1' };

it('the address has the path, the query, and the key where it belongs', () => {
  const parameters = [field('name', { place: 'path' }), field('a'), field('empty'), field('token')];
  const given = values({ parameters: { name: 'a/b', a: 'ä&', empty: '' } });
  expect(addressOf(operation('header', ...parameters), given, secrets)).toBe('/v1/a%2Fb/x?a=%C3%A4%26&token=kst_1');
  expect(addressOf(operation('query'), given, secrets)).toBe('/v1/a%2Fb/x?APIKEY=ksk_1');
  expect(addressOf(operation(null), given, secrets)).toBe('/v1/a%2Fb/x');
});

it('headers', () => {
  const given = values({ parameters: { 'Idempotency-Key': 'once' } });
  const found = headersOf(
    operation('header', field('Idempotency-Key', { place: 'header' })),
    body('application/json'),
    given,
    secrets,
  );
  expect(found).toEqual({ 'X-API-Key': 'ksk_1', 'Idempotency-Key': 'once', 'Content-Type': 'application/json' });
  expect(headersOf(operation('query'), body('multipart/form-data'), values({}), secrets)).toEqual({});
});

it('bodies', () => {
  const json = body(
    'application/json',
    field('name'),
    field('limit', { kind: 'integer' }),
    field('images', { isList: true }),
  );
  const fields = { name: '1', limit: '5', images: '[{"tag":"x"}]' };
  expect(bodyOf(json, values({ fields }))).toBe('{"name":"1","limit":5,"images":[{"tag":"x"}]}');
  expect(() => bodyOf(json, values({ fields: { images: 'x' } }))).toThrow('images is not JSON');
  const form = bodyOf(body('multipart/form-data', field('a'), field('b')), values({ fields: { a: 'é' } })) as FormData;
  expect([...form]).toEqual([['a', 'é']]);
  const file = new File(['x'], 'x.png');
  expect(bodyOf(body('application/octet-stream'), values({ files: { '': file } }))).toBe(file);
  expect(bodyOf(undefined, values({}))).toBeUndefined();
});
