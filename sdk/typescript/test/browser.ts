// Runs the client in Chromium, from a page of another origin than the server's, so that the browser asks for permission
// as it would of any page:
//
//     tools/with-models sdk/cases/run typescript node build/test/browser.js
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';

const root = join(new URL('.', import.meta.url).pathname, '../..');
const { KAISATSU_URL: baseUrl, KAISATSU_RESTRICTED_KEY: key, KAISATSU_PICTURES: pictures = '' } = process.env;

// What the page does, and what it must report.
const page = `<script type="module">
  import { CancelledError, Kaisatsu, NotFoundError } from '/dist/index.js';
  const kaisatsu = new Kaisatsu(${JSON.stringify({ baseUrl, key })});
  const report = {};
  try {
    const near = await kaisatsu.maps.stationNear({ latitude: 35.69, longitude: 139.7 });
    report.station = near.points[0].name;
    const image = new File([await (await fetch('/coffee.png')).blob()], 'coffee.png');
    report.tag = (await kaisatsu.recognition.classify({ image })).candidates[0].tag;
    const error = await kaisatsu.maps.railmapDetail({ id: 'atlantis' }).catch((error) => error);
    report.error = [error instanceof NotFoundError, error.code, typeof error.requestId];
    const signal = AbortSignal.abort();
    report.cancelled = await kaisatsu.recognition.models({ signal }).catch((error) => error instanceof CancelledError);
    report.stations = 0;
    for await (const station of kaisatsu.maps.eachStation({ limit: 10 })) if (++report.stations === 15) break;
  } catch (error) {
    report.failure = String(error);
  }
  await fetch('/report', { method: 'POST', body: JSON.stringify(report) });
</script>`;

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.png': 'image/png' };
let resolve: (report: unknown) => void = () => {};
const reported = new Promise<unknown>((settle) => (resolve = settle));
const server = createServer((request, response) => {
  const path = request.url ?? '/';
  if (path === '/report') {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      response.end();
      resolve(JSON.parse(body));
    });
  } else if (path === '/') {
    response.setHeader('Content-Type', 'text/html').end(page);
  } else if (path === '/coffee.png' || path.startsWith('/dist/')) {
    const file = path === '/coffee.png' ? join(pictures, 'coffee.png') : join(root, path);
    response.setHeader('Content-Type', TYPES[extname(path)] ?? 'text/plain').end(readFileSync(file));
  } else {
    response.writeHead(404).end(); // the icon that browsers ask for
  }
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const profile = mkdtempSync(join(tmpdir(), 'kaisatsu-chromium-'));
const options = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  `--user-data-dir=${profile}`,
];
const browser = spawn('chromium', [...options, address], { stdio: 'ignore' });
const ended = new Promise((end) => browser.once('exit', end));
const tooLate = setTimeout(() => resolve({ failure: 'no report within two minutes' }), 120_000);
try {
  assert.deepEqual(await reported, {
    station: '新宿',
    tag: 'espresso',
    error: [true, 'W404', 'string'],
    cancelled: true,
    stations: 15,
  });
  console.log('ok in Chromium');
} finally {
  clearTimeout(tooLate);
  browser.kill();
  await ended;
  server.close();
  // Processes of the browser may write to its folder for some seconds after it has ended.
  rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}
