// Measures what a cold call costs beside a bare fetch: a new client and one call.
import { Kaisatsu } from '../src/index.js';

const url = process.env.KAISATSU_URL ?? '';

async function bare(): Promise<void> {
  await (await fetch(`${url}/healthz`)).json();
}

async function ours(): Promise<void> {
  await new Kaisatsu({ baseUrl: url }).health();
}

/** Milliseconds of the clock and of the processor. */
async function measure(call: () => Promise<void>): Promise<[number, number]> {
  const [clock, processor] = [performance.now(), process.cpuUsage()];
  await call();
  const { user, system } = process.cpuUsage(processor);
  return [performance.now() - clock, (user + system) / 1000];
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

// In turns, so that whatever else the machine does meets both; on a busy one, only the processor's time says much.
const pairs = [];
for (let count = 0; count < 400; count++) pairs.push([await measure(bare), await measure(ours)] as const);
const warm = pairs.slice(100);
for (const [which, name] of (['elapsed', 'processor'] as const).entries()) {
  const theirs = median(warm.map(([first]) => first[which] ?? NaN));
  const own = median(warm.map(([, second]) => second[which] ?? NaN));
  const difference = (own - theirs).toFixed(2);
  console.log(
    `${name}: bare fetch ${theirs.toFixed(2)} ms, this client ${own.toFixed(2)} ms, difference ${difference} ms`,
  );
}
