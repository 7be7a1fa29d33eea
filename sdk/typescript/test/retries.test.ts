import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CancelledError,
  ConflictError,
  RateLimitedError,
  type Sent,
  TransportError,
  UnavailableError,
} from '../src/index.js';
import { waitBeforeNext } from '../src/settings.js';
import { CLASSIFIED, clientOf, failed, HEALTH, json } from './fake.js';

const image = new Uint8Array([1, 2, 3]);

test('what was refused is sent again, whatever it is', async () => {
  const { kaisatsu, seen } = clientOf([failed('ECONNREFUSED'), json(CLASSIFIED)]);
  assert.equal((await kaisatsu.recognition.classify({ image })).recognitionId, 'r');
  assert.equal(seen.length, 2);
});

test('a recognition that may have been received is not sent again', async () => {
  for (const code of ['ECONNRESET', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT']) {
    const { kaisatsu, seen } = clientOf([failed(code), json(CLASSIFIED)]);
    await assert.rejects(kaisatsu.recognition.classify({ image }), TransportError);
    assert.equal(seen.length, 1);
  }
});

test('what creates something is sent again with the same key', async () => {
  const created = () => json({ dataSetId: 'd', state: 'queued' }, 202);
  const ask = { token: 't', name: 'n', images: [{ imageId: 'i' }] };
  const busy = json({ error: { code: '202', message: 'm' } }, 409, { 'Retry-After': '0' });
  const { kaisatsu, seen } = clientOf([failed('ECONNRESET'), busy, created()]);
  assert.equal((await kaisatsu.datasets.create(ask)).dataSetId, 'd');
  const keys = seen.map(({ headers }) => headers.get('idempotency-key'));
  assert.match(keys[0] ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(keys).size, 1);
  const own = clientOf([created(), created()]);
  await own.kaisatsu.datasets.create({ ...ask, idempotencyKey: 'mine' });
  await own.kaisatsu.datasets.create(ask);
  const [first, second] = own.seen.map(({ headers }) => headers.get('idempotency-key'));
  assert.equal(first, 'mine');
  assert.notEqual(second, keys[0]);
});

test('a key that was used for something else is final, and so is a dataset that is being built', async () => {
  const reused = clientOf([json({ error: { code: '104', message: 'm' } }, 409)]);
  await assert.rejects(reused.kaisatsu.images.upload({ token: 't', image }), ConflictError);
  const building = clientOf([json({ error: { code: '202', message: 'm' } }, 409, { 'Retry-After': '2' })]);
  await assert.rejects(building.kaisatsu.recognition.classify({ image, dataSetId: 'd', token: 't' }), ConflictError);
  assert.equal(building.seen[0]?.headers.get('idempotency-key'), null);
});

test('in a browser, which says nothing about the reason, it is not either', async () => {
  const { kaisatsu, seen } = clientOf([new TypeError('Failed to fetch')]);
  await assert.rejects(kaisatsu.recognition.classify({ image }), TransportError);
  assert.equal(seen.length, 1);
});

test('what only reads is sent again', async () => {
  const { kaisatsu, seen } = clientOf([failed('ECONNRESET'), json({}, 503), json(HEALTH)]);
  assert.equal((await kaisatsu.health()).status, 'ok');
  assert.equal(seen.length, 3);
});

test('a 503 without a time is final for a recognition', async () => {
  const { kaisatsu } = clientOf([json({}, 503)]);
  await assert.rejects(kaisatsu.recognition.classify({ image }), UnavailableError);
});

test('nobody waits past the end of the call', async () => {
  const { kaisatsu, seen } = clientOf([json({}, 429, { 'Retry-After': '7' })], { totalTimeout: 5 });
  await assert.rejects(kaisatsu.health(), (error) => error instanceof RateLimitedError && error.retryAfter === 7);
  assert.equal(seen.length, 1);
});

test('attempts are counted, and a call may have its own number', async () => {
  const { kaisatsu, seen } = clientOf([failed('ECONNREFUSED'), failed('ECONNREFUSED')], { attempts: 9 });
  await assert.rejects(kaisatsu.health({ attempts: 2 }), TransportError);
  assert.equal(seen.length, 2);
});

test('waits grow up to a limit, are spread, and obey the server', () => {
  const wait = (attempt: number, chance: number, error = new TransportError('cut', false), left = 100) =>
    waitBeforeNext(error, { repeatable: true, attempt, attempts: 20, left }, () => chance);
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7].map((attempt) => wait(attempt, 1)),
    [0.25, 0.5, 1, 2, 4, 8, 8],
  );
  assert.deepEqual(
    [1, 2, 3].map((attempt) => wait(attempt, 0)),
    [0.125, 0.25, 0.5],
  );
  const limited = new RateLimitedError('rateLimited', 'slow down', { status: 429, retryAfter: 7 });
  const facts = { repeatable: false, attempt: 1, attempts: 3 };
  assert.equal(
    waitBeforeNext(limited, { ...facts, left: 100 }, () => 1),
    7,
  );
  assert.equal(
    waitBeforeNext(limited, { ...facts, left: 6 }, () => 1),
    undefined,
  );
});

test('cancelling ends the request, and the wait for the next', async () => {
  const controller = new AbortController();
  let aborted = false;
  const { kaisatsu } = clientOf([
    () =>
      new Promise((_, reject) => {
        setTimeout(() => controller.abort(new Error('changed my mind')), 5);
        controller.signal.addEventListener('abort', () => {
          aborted = true;
          reject(new DOMException('aborted', 'AbortError'));
        });
      }),
  ]);
  await assert.rejects(
    kaisatsu.health({ signal: controller.signal }),
    (error) => error instanceof CancelledError && (error.cause as Error).message === 'changed my mind',
  );
  assert.ok(aborted);
  const waiting = clientOf([json({}, 429, { 'Retry-After': '60' })]).kaisatsu;
  await assert.rejects(waiting.health({ signal: AbortSignal.timeout(20) }), CancelledError);
  await assert.rejects(waiting.health({ signal: AbortSignal.abort() }), CancelledError);
});

test('every attempt is reported, without the key', async () => {
  const sent: Sent[] = [];
  const answers = [failed('ECONNRESET'), json({}, 404, { 'X-Request-Id': 'q-1' })];
  const { kaisatsu } = clientOf(answers, { onRequest: (one) => sent.push(one), keyIn: 'query' });
  await assert.rejects(kaisatsu.recognition.explain({ recognitionId: 'r' }));
  assert.deepEqual(
    sent.map(({ attempt, status, error, requestId }) => [attempt, status, error, requestId]),
    [
      [1, undefined, 'transport', undefined],
      [2, 404, 'notFound', 'q-1'],
    ],
  );
  assert.ok(!JSON.stringify(sent).includes('secret'));
});
