import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Kaisatsu, type Picture, VERSION } from '../src/index.js';
import { CLASSIFIED, clientOf, HEALTH, json } from './fake.js';

const sdk = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../../..');
const read = (...path: string[]): unknown => JSON.parse(readFileSync(join(sdk, ...path), 'utf8'));
const image = new Uint8Array([137, 80]);

test('the key is in a header unless the query is asked for', async () => {
  const header = clientOf([json(CLASSIFIED)]);
  await header.kaisatsu.recognition.classify({ image });
  assert.equal(header.seen[0]?.headers.get('x-api-key'), 'kst_secret');
  assert.equal(header.seen[0]?.url.search, '?gcs=wgs84');
  const query = clientOf([json(CLASSIFIED)], { keyIn: 'query' });
  await query.kaisatsu.recognition.classify({ image });
  assert.equal(query.seen[0]?.headers.get('x-api-key'), null);
  assert.equal(query.seen[0]?.url.searchParams.get('APIKEY'), 'kst_secret');
});

test('health needs no key, redirects are not followed, no cookies are sent', async () => {
  const { kaisatsu, seen } = clientOf([json(HEALTH)]);
  await kaisatsu.health();
  assert.equal(seen[0]?.headers.get('x-api-key'), null);
  assert.match(seen[0]?.headers.get('user-agent') ?? '', /^kaisatsu-sdk-typescript\/\d+\.\d+\.\d+$/);
  assert.equal(seen[0]?.init.redirect, 'manual');
  assert.equal(seen[0]?.init.credentials, 'omit');
});

test('absent arguments are not sent', async () => {
  const page = { ResultSet: { max: '0', offset: '1', Point: [] } };
  const { kaisatsu, seen } = clientOf([json(page), json(page)]);
  await kaisatsu.maps.stations({ name: '新宿' });
  assert.deepEqual(Object.fromEntries(seen[0]?.url.searchParams ?? []), { gcs: 'wgs84', name: '新宿' });
  await kaisatsu.maps.stationNear({ latitude: 1e-7, longitude: 139.7, gcs: 'tokyo' });
  const query = { gcs: 'tokyo', lati_d: '0.000000100', longi_d: '139.700000000' };
  assert.deepEqual(Object.fromEntries(seen[1]?.url.searchParams ?? []), query);
});

test('pictures of every kind are sent as they are', async () => {
  const larger = new Uint8Array([0, 137, 80, 0]);
  const pictures: [Picture, string][] = [
    [image, 'image'],
    [image.buffer, 'image'],
    [larger.subarray(1, 3), 'image'],
    [Buffer.from(image), 'image'],
    [new Blob([image]), 'image'],
    [new File([image], '絵.png'), '絵.png'],
  ];
  for (const [picture, name] of pictures) {
    const { kaisatsu, seen } = clientOf([json(CLASSIFIED)]);
    await kaisatsu.recognition.classify({ image: picture, numOfCandidates: 2 });
    const form = seen[0]?.init.body as FormData;
    const sent = form.get('image') as File;
    assert.deepEqual(new Uint8Array(await sent.arrayBuffer()), image);
    assert.equal(sent.name, name);
    assert.equal(form.get('numOfCandidates'), '2');
    assert.equal(form.get('modelName'), null);
  }
  const { kaisatsu } = clientOf([]);
  assert.throws(() => kaisatsu.recognition.classify({ image: 'photo.png' as unknown as Picture }), TypeError);
});

test('lists are repeated fields of a form', async () => {
  const item = { id: 'a', category: 'food', name: '茶', barcodes: [], detail: {} };
  const { kaisatsu, seen } = clientOf([json(item)]);
  const [barcodes, sites] = [['1', '2'], [{ title: 'A' }]];
  const details = { maker: 'b', name: 'not the name' };
  await kaisatsu.catalogue.add({ id: 'a', category: 'food', name: '茶', barcodes, sites, images: [image], details });
  const form = seen[0]?.init.body as FormData;
  assert.deepEqual(form.getAll('barcode'), barcodes);
  assert.equal(form.get('sites'), JSON.stringify(sites));
  assert.equal(form.get('maker'), 'b');
  assert.deepEqual(form.getAll('name'), ['茶']);
});

test('feedback can say what it really is', async () => {
  const { kaisatsu, seen } = clientOf([json({}), json({}), json({})]);
  await kaisatsu.recognition.feedback({ recognitionId: 'r', isValid: true, tag: 'latte' });
  assert.equal(seen[0]?.init.body, '{"tag":"latte"}');
  assert.equal(seen[0]?.url.search, '?recognitionId=r&isValid=true');
  const ask = { recognitionId: 'r', itemId: 'i', isValid: false, comment: 'no', tag: 'latte' };
  await kaisatsu.recognition.feedbackToCandidate(ask);
  assert.equal(seen[1]?.init.body, '{"comment":"no","tag":"latte"}');
  await kaisatsu.recognition.feedback({ recognitionId: 'r', isValid: true });
  assert.equal(seen[2]?.init.body, '{}');
});

test('the place of a picture is in degrees', async () => {
  const place = { lati: '35.39.31.0', longi: '139.44.43.0', lati_d: '35.65861', longi_d: '139.74543', gcs: 'wgs84' };
  const sight = { tag: '東京タワー', tagId: 't', score: 0.9, itemId: 'i', GeoPoint: place, sites: [{ title: 'T' }] };
  const other = { tag: 'tower', score: 0.1, itemId: 'j' };
  const { kaisatsu, seen } = clientOf([json({ ...CLASSIFIED, candidates: [sight, other] })]);
  const { candidates } = await kaisatsu.recognition.classify({ image, latitude: 35.6586, longitude: 139.7454 });
  assert.equal(seen[0]?.url.search, '?lati_d=35.658600000&longi_d=139.745400000&gcs=wgs84');
  assert.deepEqual(candidates[0]?.geoPoint, { latitude: 35.65861, longitude: 139.74543, gcs: 'wgs84' });
  assert.deepEqual(candidates[0]?.sites, [{ title: 'T' }]);
  assert.deepEqual(candidates[1], other);
});

test('pages are read only when somebody asks for more', async () => {
  const page = (from: number, nextCursor?: string) =>
    json({
      items: [0, 1].map((add) => ({ id: `${from + add}`, category: '', name: '', barcodes: [], detail: {} })),
      nextCursor,
    });
  const { kaisatsu, seen } = clientOf([page(0, 'c'), page(2)]);
  const ids = [];
  for await (const item of kaisatsu.catalogue.each({ limit: 2 })) {
    ids.push(item.id);
    assert.equal(seen.length, ids.length > 2 ? 2 : 1);
  }
  assert.deepEqual(ids, ['0', '1', '2', '3']);
  assert.equal(seen[1]?.url.searchParams.get('cursor'), 'c');
});

test('every operation of the document is offered', () => {
  interface Operation {
    operationId: string;
    group: string;
    name: string;
    each?: string;
  }
  const operations = read('cases', 'operations.json') as Operation[];
  const document = read('..', 'web', 'openapi', 'api.json') as { paths: Record<string, Record<string, Operation>> };
  const described = Object.values(document.paths).flatMap((path) => Object.values(path));
  const ids = (list: Operation[]) => list.map((operation) => operation.operationId).sort();
  assert.deepEqual(ids(operations), ids(described));
  const kaisatsu = new Kaisatsu({ baseUrl: 'http://server' });
  for (const { group, name, each } of operations) {
    const owner = (group ? kaisatsu[group as 'maps'] : kaisatsu) as unknown as Record<string, unknown>;
    assert.equal(typeof owner[name], 'function', `${group}.${name}`);
    if (each) assert.equal(typeof owner[each], 'function', `${group}.${each}`);
  }
});

test('the version is that of all clients', () => {
  const version = readFileSync(join(sdk, 'VERSION'), 'utf8').trim();
  assert.equal(VERSION, version);
  assert.equal((read('typescript', 'package.json') as { version: string }).version, version);
});
