// Runs the story of sdk/cases, which sdk/cases/README.md describes:
//
//     tools/with-models sdk/cases/run typescript node build/test/story.js
import { openAsBlob, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientOptions, Kaisatsu, KaisatsuError } from '../src/index.js';
import { differences, type Json, lookup, plain } from './plain.js';

interface Step {
  name: string;
  call: string;
  with?: Record<string, Json>;
  client?: { key?: string } & Partial<ClientOptions>;
  take?: number;
  cancelAfter?: number;
  expect?: Record<string, Json>;
  error?: Record<string, Json>;
  save?: Record<string, string>;
  fault?: Json;
  requests?: number;
  sent?: Record<string, Json>;
}
type Method = (ask?: unknown, options?: { signal?: AbortSignal }) => unknown;

function environment(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing: run this by sdk/cases/run`);
  return value;
}

const keys: Record<string, string> = {
  standard: environment('KAISATSU_KEY'),
  restricted: environment('KAISATSU_RESTRICTED_KEY'),
  operator: environment('KAISATSU_OPERATOR_KEY'),
};
const saved = new Map<string, Json>();

function clientOf(step: Step): Kaisatsu {
  const { key = 'standard', ...told } = step.client ?? {};
  return new Kaisatsu({
    baseUrl: environment(step.fault ? 'KAISATSU_PROXY' : 'KAISATSU_URL'),
    keyIn: environment('KAISATSU_KEY_IN') as 'header' | 'query',
    ...told,
    key: keys[key] ?? 'kst_wrong',
  });
}

async function argument(value: Json): Promise<unknown> {
  if (typeof value === 'string' && value.startsWith('$')) return saved.get(value.slice(1));
  if (Array.isArray(value)) return Promise.all(value.map(argument));
  if (typeof value !== 'object' || value === null) return value;
  if ('picture' in value) return openAsBlob(join(environment('KAISATSU_PICTURES'), String(value.picture)));
  const inner = Object.entries(value).map(async ([name, one]) => [name, await argument(one)] as const);
  return Object.fromEntries(await Promise.all(inner));
}

async function call(step: Step): Promise<unknown> {
  const [group, name] = step.call.includes('.') ? step.call.split('.') : [undefined, step.call];
  const client = clientOf(step);
  const owner = (group ? client[group as 'maps'] : client) as unknown as Record<string, Method>;
  const method = owner[name ?? ''];
  if (!method) throw new Error(`there is no ${step.call}`);
  const options: { signal?: AbortSignal } = {};
  if (step.cancelAfter) options.signal = AbortSignal.timeout(step.cancelAfter * 1000);
  const takesNothing = ['health', 'ready', 'recognition.models'].includes(step.call);
  const given = takesNothing ? [options] : [await argument(step.with ?? {}), options];
  const result = method.apply(owner, given as [unknown]);
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  const found: unknown[] = [];
  for await (const one of result as AsyncIterable<unknown>) {
    found.push(one);
    if (found.length === step.take) break;
  }
  return found;
}

async function control(path: string, body?: Json): Promise<{ requests: number; seen: Json[] }> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(environment('KAISATSU_PROXY_CONTROL') + path, init);
  return (await answer.json()) as { requests: number; seen: Json[] };
}

/** What is wrong. */
async function run(step: Step): Promise<string[]> {
  const wrong: string[] = [];
  if (step.fault) await control('/fault', step.fault);
  try {
    const result = plain(await call(step));
    if (step.error) wrong.push('no error');
    wrong.push(...differences(result, step.expect ?? {}, saved));
    for (const [name, path] of Object.entries(step.save ?? {})) saved.set(name, lookup(result, path));
  } catch (error) {
    if (!(error instanceof KaisatsuError)) throw error;
    const { kind: type, message } = error;
    // The message of an error is no property that `...` copies.
    if (step.error) wrong.push(...differences({ ...error, type, message }, step.error, saved));
    else wrong.push(`failed with ${type}: ${message}`);
  }
  if (step.requests !== undefined || step.sent) {
    const { requests, seen } = await control('/requests');
    if (requests !== (step.requests ?? requests)) wrong.push(`${requests} requests, not ${step.requests}`);
    wrong.push(...differences(seen.at(-1), step.sent ?? {}, saved));
  }
  return wrong;
}

const story = JSON.parse(readFileSync(join(environment('KAISATSU_CASES'), 'story.json'), 'utf8')) as Step[];
let failed = 0;
for (const step of story) {
  const wrong = await run(step);
  if (wrong.length > 0) failed++;
  console.log(wrong.length > 0 ? `FAILED ${step.name}: ${wrong.join('; ')}` : `ok ${step.name}`);
}
console.log(`${story.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
