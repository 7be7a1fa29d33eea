// Takes the download addresses out of package-lock.json: whoever installs uses the registry they have. npm's own
// setting
// for this (omit-lockfile-registry-resolved) also loses the versions of packages for other systems, and `npm ci`
// refuses
// such a file.
import { readFileSync, writeFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
for (const entry of Object.values(lock.packages)) delete entry.resolved;
writeFileSync('package-lock.json', JSON.stringify(lock, null, 2) + '\n');
