import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Prints how much script each page loads before it shows anything, and fails above the budget. */

const BUILT = resolve(import.meta.dirname, '../../dist/api/web');
/** Of script as it is sent, in KB. */
const BUDGET_KB = 120;
const PAGES = ['reader', 'console', 'desk'];

/** The script of the page, and what it imports at once. */
function firstScripts(page) {
  const html = readFileSync(join(BUILT, page, 'index.html'), 'utf8');
  return [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, file]) => file);
}

const sentKb = (file) => gzipSync(readFileSync(join(BUILT, file))).length / 1024;

for (const page of PAGES) {
  const files = firstScripts(page);
  const sum = files.reduce((total, file) => total + sentKb(file), 0);
  process.stdout.write(`${page}: ${sum.toFixed(1)} KB in ${files.length} files\n`);
  for (const file of files) process.stdout.write(`  ${sentKb(file).toFixed(1)} KB ${file}\n`);
  if (sum > BUDGET_KB) {
    process.stdout.write(`  more than ${BUDGET_KB} KB\n`);
    process.exitCode = 1;
  }
}
