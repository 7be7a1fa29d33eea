// Measures how long the console takes to load, against a page of the same size without scripts: both uncached, on the
// loopback, in the same browser, in turns. `make bench-console` runs it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [binary, tries = '20'] = process.argv.slice(2);
const { chromium } = createRequire(new URL('../../web/e2e/package.json', import.meta.url))('@playwright/test');
const middle = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

const folder = mkdtempSync(join(tmpdir(), 'kaisatsu-load-'));
const child = spawn(binary, ['serve', '--listen', '127.0.0.1:0', '--data', folder, '--log', 'error'], {
  env: { HOME: folder, PATH: process.env.PATH },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let out = '';
child.stdout.on('data', (bytes) => (out += bytes));
while (!/address\s+http/.test(out) || !out.includes('curl')) await new Promise((done) => setTimeout(done, 50));
const base = /address\s+(http:\S+)/.exec(out)[1];

const args = ['--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'];
if (process.getuid() === 0) args.push('--no-sandbox');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args });

/** Milliseconds until the first heading is visible, and the bytes transferred. */
async function load(url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const began = performance.now();
  await page.goto(url);
  await page.locator('h1').first().waitFor();
  const took = performance.now() - began;
  const bytes = await page.evaluate(() => {
    const entries = ['resource', 'navigation'].flatMap((type) => performance.getEntriesByType(type));
    return entries.reduce((sum, entry) => sum + entry.encodedBodySize, 0);
  });
  await context.close();
  return { took, bytes };
}

await load(`${base}/console/`);
const { bytes } = await load(`${base}/console/`);
const filler = Buffer.from(`<!doctype html><title>bare</title><h1>bare</h1><!--${'x'.repeat(bytes)}-->`);
const bare = http.createServer((_, answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end(filler));
bare.listen(0, '127.0.0.1');
await new Promise((done) => bare.once('listening', done));
const yardstick = `http://127.0.0.1:${bare.address().port}/`;
const times = { console: [], bare: [] };
for (let n = 0; n < Number(tries); n++) {
  times.console.push((await load(`${base}/console/`)).took);
  times.bare.push((await load(yardstick)).took);
}
const [console_, bare_] = [middle(times.console), middle(times.bare)];
console.log(`the console's first page: ${console_.toFixed(0)} ms, ${(bytes / 1000).toFixed(0)} kB compressed`);
console.log(`as many bytes in a bare page: ${bare_.toFixed(0)} ms; ratio ${(console_ / bare_).toFixed(1)} (medians of ${tries})`);
await browser.close();
bare.close();
child.kill('SIGTERM');
await new Promise((done) => child.once('exit', done));
rmSync(folder, { recursive: true, force: true });
