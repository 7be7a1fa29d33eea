// Measures what a cold call costs beside a bare fetch: a new client and one call.
import { Kaisatsu } from '../src/index.js';

const url = process.env.KAISATSU_URL ?? '';

async function bare(): Promise<void> {
  await (await fetch(`${url}/healthz`)).json();
}

async function ours(): Promise<void> {
  await new Kaisatsu({ baseUrl: url }).health();
}

async function milliseconds(call: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

function median(values: number[]): string {
  return (values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN).toFixed(2);
}

// In turns, so that whatever else the machine does meets both.
const pairs: [number, number][] = [];
for (let count = 0; count < 300; count++) pairs.push([await milliseconds(bare), await milliseconds(ours)]);
const warm = pairs.slice(50);
console.log(
  `bare fetch ${median(warm.map(([a]) => a))} ms, this client ${median(warm.map(([, b]) => b))} ms, ` +
    `difference ${median(warm.map(([a, b]) => b - a))} ms`,
);
