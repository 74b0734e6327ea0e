import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Builds `dist`: the programs, then the client, then the pages. A part is skipped when the contents
 * of its sources are those of its last build. With the argument `code` only the programs are built.
 */

const ROOT = import.meta.dirname;
const at = (path) => join(ROOT, path);

const CODE = {
  sources: [
    'lendline.ts',
    'standalone.ts',
    'embedded.ts',
    'api',
    'shared',
    'workers',
    'clients/typescript/src',
    'tsconfig.json',
    'tsconfig.build.json',
    'package-lock.json',
  ],
  without: ['api/web', 'clients/typescript/src/generated'],
  made: 'dist/standalone.js',
  stamp: 'dist/.code-built',
  command: [at('node_modules/typescript-native/bin/tsc'), '-p', 'tsconfig.build.json'],
};
/** What the programs serve as their OpenAPI document. */
const DOCUMENT = {
  sources: CODE.sources,
  without: CODE.without,
  made: 'dist/openapi.json',
  stamp: 'dist/.document-built',
  command: [at('clients/typescript/document.mjs')],
};
/** The client has its types from the document. */
const CLIENT = {
  sources: ['dist/openapi.json', 'clients', 'package-lock.json'],
  without: ['clients/typescript/src/generated', 'clients/typescript/dist'],
  made: 'clients/typescript/dist/index.js',
  stamp: 'dist/.client-built',
  command: [at('clients/typescript/build.mjs')],
};
/** The pages have them from the client. */
const PAGES = {
  sources: ['clients/typescript/src', 'api/web', 'package-lock.json'],
  without: [],
  made: 'dist/api/web',
  stamp: 'dist/.pages-built',
  command: [at('api/web/build.mjs')],
};

function* filesOf(path, without) {
  if (without.includes(relative(ROOT, path))) return;
  const entries =
    path.endsWith('.json') || path.endsWith('.ts')
      ? null
      : readdirSync(path, { withFileTypes: true });
  if (!entries) yield path;
  else
    for (const entry of entries)
      yield* entry.isDirectory()
        ? filesOf(join(path, entry.name), without)
        : [join(path, entry.name)];
}

function contentOf({ sources, without }) {
  const hash = createHash('sha256').update(process.version);
  for (const source of sources)
    for (const file of filesOf(at(source), without))
      hash
        .update(`${relative(ROOT, file)}\0`)
        .update(readFileSync(file))
        .update('\0');
  return hash.digest('hex');
}

function build(part) {
  const content = contentOf(part);
  const stamp = at(part.stamp);
  if (existsSync(at(part.made)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === content)
    return;
  rmSync(stamp, { force: true });
  const { status } = spawnSync(process.execPath, part.command, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, content);
}

const parts = process.argv[2] === 'code' ? [CODE] : [CODE, DOCUMENT, CLIENT, PAGES];
for (const part of parts) build(part);
