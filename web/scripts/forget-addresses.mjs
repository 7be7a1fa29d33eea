// Removes the download URLs from package-lock.json, so that packages are installed from the configured registry. npm's
// own setting for this (omit-lockfile-registry-resolved) also drops the versions of packages for other systems, and
// `npm ci` rejects such a file.
import { readFileSync, writeFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
for (const entry of Object.values(lock.packages)) delete entry.resolved;
writeFileSync('package-lock.json', JSON.stringify(lock, null, 2) + '\n');
