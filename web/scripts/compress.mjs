// Writes a .gz file beside every text file of the console, which the server sends as it is. Fails if the console
// exceeds its size limit.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const LIMIT = 360_000;
const TEXT = /\.(html|js|css|svg|json|txt|webmanifest)$/;
const root = new URL('../dist/console', import.meta.url).pathname;

let total = 0;
for (const entry of readdirSync(root, { recursive: true })) {
  const path = join(root, entry);
  if (!statSync(path).isFile() || path.endsWith('.gz')) continue;
  const bytes = readFileSync(path);
  const packed = gzipSync(bytes, { level: 9 });
  if (TEXT.test(path)) writeFileSync(`${path}.gz`, packed);
  total += packed.length;
}
console.log(`dist: ${(total / 1000).toFixed(1)} kB gzipped, of ${LIMIT / 1000} kB`);
if (total > LIMIT) {
  console.error('The console has grown too large.');
  process.exit(1);
}
