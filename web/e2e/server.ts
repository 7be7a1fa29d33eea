import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const binary = process.env.KAISATSU_BINARY;
if (!binary) throw new Error('KAISATSU_BINARY is not set; `tools/web test` sets it');

/** A real server with its own data folder. */
export class Server {
  readonly folder = mkdtempSync(join(tmpdir(), 'kaisatsu-console-'));
  base = '';
  #child: ChildProcess;
  #out = '';

  private constructor(args: string[]) {
    const env = { HOME: this.folder, PATH: process.env.PATH ?? '' };
    const all = ['serve', '--listen', '127.0.0.1:0', '--data', this.folder, ...args];
    this.#child = spawn(binary!, all, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout!.on('data', (bytes: Buffer) => (this.#out += bytes.toString()));
    const log = join(this.folder, 'log');
    writeFileSync(log, '');
    this.#child.stderr!.on('data', (bytes: Buffer) => writeFileSync(log, bytes, { flag: 'a' }));
  }

  /** Starts a server. With `models`, it is ready when it can recognise pictures. */
  static async start({ args = [], models = false }: { args?: string[]; models?: boolean } = {}): Promise<Server> {
    const folder = process.env.KAISATSU_TEST_MODELS;
    if (!folder) throw new Error('KAISATSU_TEST_MODELS is not set; `tools/with-models` sets it');
    const server = new Server(models ? ['--models', folder, ...args] : args);
    await waitUntil('the server says where it listens', () => {
      if (server.#child.exitCode !== null) throw new Error(`the server ended: ${server.log()}`);
      server.base = /address\s+(http:\S+)/.exec(server.#out)?.[1] ?? '';
      return server.base !== '' && server.#out.includes('curl');
    });
    if (models) await waitUntil('it is ready', async () => (await fetch(`${server.base}/readyz`)).ok);
    return server;
  }

  /** Everything the server has printed so far, including the key that it creates on its first start. */
  get output(): string {
    return this.#out;
  }

  /** Writes a map file and waits until the server serves the map. */
  async writeMap(id: string, toml: string, isServed: (data: string) => boolean): Promise<void> {
    const folder = join(this.folder, 'maps');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${id}.toml`), toml);
    this.#child.kill('SIGHUP');
    await waitUntil(`the map ${id} is served`, async () => {
      const response = await fetch(`${this.base}/map/${id}/data.json`);
      return response.ok && isServed(await response.text());
    });
  }

  /** Everything the server has logged so far. */
  log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8');
  }

  /** Runs a command of the binary on the data of the running server, as an operator would. */
  run(...args: string[]): string {
    const models = process.env.KAISATSU_TEST_MODELS!;
    const env = { HOME: this.folder, PATH: process.env.PATH ?? '' };
    return execFileSync(binary!, ['--data', this.folder, '--models', models, ...args], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async stop(): Promise<void> {
    const ended = new Promise((done) => this.#child.once('exit', done));
    this.#child.kill('SIGTERM');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Polls until the condition holds. */
export async function waitUntil(description: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    if (await condition()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`timed out: ${description}`);
}
