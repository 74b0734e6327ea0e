import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Deletes from a folder of packages what no program reads: source maps, types, documentation,
 * sources in C, and binaries for other platforms. Licences stay. Prints how much that was.
 *
 *   node deploy/prune-modules.mjs node_modules
 */

const UNREAD = /\.(?:map|d\.[cm]?ts|md|markdown|flow|c|cc|cpp|h|hpp)$/i;
const LICENCE = /^(?:licen[cs]e|notice|copying)/i;
const PREBUILDS = 'prebuilds';
const THIS = `${process.platform}-${process.arch}`;

let bytes = 0;

function remove(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isDirectory()) for (const name of readdirSync(path)) remove(join(path, name));
  else bytes += stat.size;
  rmSync(path, { recursive: true, force: true });
}

const isUnread = (name) => UNREAD.test(name) && !LICENCE.test(name);

function prune(folder, isPrebuilds = false) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (isPrebuilds ? entry.name !== THIS : entry.isFile() && isUnread(entry.name)) remove(path);
    else if (entry.isDirectory()) prune(path, entry.name === PREBUILDS);
  }
}

const [folder] = process.argv.slice(2);
if (!folder) {
  process.stderr.write('Usage: node deploy/prune-modules.mjs FOLDER\n');
  process.exit(1);
}
prune(folder);
process.stdout.write(`Deleted ${Math.round(bytes / 1e6)} MB from ${folder}.\n`);
