import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import * as sdk from '../src/index.js';
import { clientOf, failed, HEALTH, json } from './fake.js';

const once = { attempts: 1 };

test('statuses are errors of their own', async () => {
  const kinds: [number, sdk.ErrorKind, typeof sdk.ApiError][] = [
    [400, 'badRequest', sdk.BadRequestError],
    [401, 'unauthorised', sdk.UnauthorisedError],
    [403, 'forbidden', sdk.ForbiddenError],
    [404, 'notFound', sdk.NotFoundError],
    [405, 'badRequest', sdk.BadRequestError],
    [409, 'conflict', sdk.ConflictError],
    [413, 'tooLarge', sdk.TooLargeError],
    [415, 'badRequest', sdk.BadRequestError],
    [429, 'rateLimited', sdk.RateLimitedError],
    [500, 'serverError', sdk.ServerError],
    [502, 'serverError', sdk.ServerError],
    [503, 'unavailable', sdk.UnavailableError],
  ];
  for (const [status, kind, type] of kinds) {
    const body = { error: { code: '301', message: 'explain: no such recognition' } };
    const { kaisatsu } = clientOf([json(body, status, { 'X-Request-Id': 'q-7' })], once);
    await assert.rejects(kaisatsu.recognition.explain({ recognitionId: 'r' }), (error) => {
      assert.ok(error instanceof type);
      assert.deepEqual([error.kind, error.status, error.code, error.requestId], [kind, status, '301', 'q-7']);
      assert.equal(error.message, 'explain: no such recognition');
      return true;
    });
  }
});

test('failures of the maps have another form', async () => {
  const body = { ResultSet: { Error: { code: 'W404', Message: 'no map' } } };
  const { kaisatsu } = clientOf([json(body, 404)]);
  await assert.rejects(kaisatsu.maps.railmapDetail({ id: 'atlantis' }), { code: 'W404', message: 'no map' });
});

test('a failure of something between has its status', async () => {
  for (const body of ['', '<html>', '[]', '3', 'null', '{"ResultSet":[]}', new Uint8Array([255])]) {
    const { kaisatsu } = clientOf([new Response(body, { status: 502 })], once);
    await assert.rejects(kaisatsu.recognition.models(), { kind: 'serverError', status: 502, code: undefined });
  }
});

test('other answers are malformed', async () => {
  const utf8 = (text: string) => new TextEncoder().encode(text);
  const bodies = [
    utf8(''),
    utf8('<html>'),
    utf8('[]'),
    utf8('null'),
    utf8('{"status":"ok"}'),
    utf8('{"status":"ok","version":1}'),
    utf8('{"status":"ok","version":null}'),
    new Uint8Array([...utf8('{"status":"'), 255, ...utf8('","version":"1"}')]),
  ];
  for (const body of bodies) {
    const { kaisatsu } = clientOf([new Response(body)], once);
    await assert.rejects(kaisatsu.health(), sdk.MalformedAnswerError);
  }
});

test('a map with a field less is malformed, and null is absent', async () => {
  const station: Record<string, string> = { code: '1', Name: 'A', Yomi: '', Type: 'train' };
  const geo = { gcs: 'wgs84', lati_d: '35.5', longi_d: '139.5' };
  const point = { Station: station, Prefecture: { code: '', Name: '' }, GeoPoint: geo, Distance: null };
  const body = { ResultSet: { max: '1', offset: '1', Point: [point] } };
  const page = await clientOf([json(body)]).kaisatsu.maps.stations();
  assert.deepEqual(page.points[0], {
    code: 1,
    name: 'A',
    yomi: '',
    type: 'train',
    geoPoint: { latitude: 35.5, longitude: 139.5, gcs: 'wgs84' },
  });
  for (const wrong of [{ code: 'one' }, { code: '' }, { Name: null }]) {
    point.Station = { ...station, ...wrong } as typeof station;
    await assert.rejects(clientOf([json(body)]).kaisatsu.maps.stations(), sdk.MalformedAnswerError);
  }
});

test('an answer may be as large as the limit and no larger', async () => {
  const length = JSON.stringify(HEALTH).length;
  assert.ok(await clientOf([json(HEALTH)], { maxAnswerBytes: length }).kaisatsu.health());
  await assert.rejects(
    clientOf([json(HEALTH)], { maxAnswerBytes: length - 1 }).kaisatsu.health(),
    sdk.MalformedAnswerError,
  );
});

test('no secret is in an error or a printed client', async () => {
  for (const keyIn of ['header', 'query'] as const) {
    const { kaisatsu } = clientOf([failed('ECONNRESET'), json({}, 500)], { ...once, keyIn });
    const errors = [];
    for (let count = 0; count < 2; count++) {
      errors.push(await kaisatsu.images.list({ token: 'kut_hidden' }).catch((error: unknown) => error));
    }
    const printed = inspect([errors, kaisatsu], { depth: null, showHidden: true });
    assert.ok(!printed.includes('kst_secret'));
    assert.ok(!printed.includes('kut_hidden'));
  }
});

test('settings are checked', () => {
  assert.throws(() => new sdk.Kaisatsu({ baseUrl: 'server' }), /http:\/\//);
  assert.throws(() => new sdk.Kaisatsu({ baseUrl: 'http://server', attempts: 0 }), /attempts/);
});

test('a dataset that failed is an error', async () => {
  const progress = { total: 1, done: 1 };
  const found = { dataSetId: 'd', name: 'n', state: 'building', progress, images: [] };
  const states: string[] = [];
  const ask = { token: 't', dataSetId: 'd', onProgress: (now: sdk.DataSet) => states.push(now.state) };
  const answers = [json(found), json(found), json({ ...found, state: 'failed', reason: 'no image' })];
  await assert.rejects(clientOf(answers).kaisatsu.datasets.waitUntilReady(ask), /no image/);
  assert.deepEqual(states, ['building', 'failed']);
});
