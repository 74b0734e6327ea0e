import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/service/child';

/** Everything that the TypeScript client exports is documented: `npm run docs:client` shows it. */

const SOURCES = join(ROOT, 'clients/typescript/src');
const read = (file: string) => readFileSync(join(SOURCES, file), 'utf8');
const files = readdirSync(SOURCES).filter((name) => name.endsWith('.ts'));

const exported = [...read('index.ts').matchAll(/^export (?:type )?\{([^}]+)\}/gm)].flatMap(
  ([, names = '']) => names.split(',').flatMap((name) => name.trim() || []),
);
const resources = [...read('resources.ts').matchAll(/^export const (\w+)/gm)].map(
  ([, name = '']) => name,
);

it.each(['Lendline', ...exported, ...resources])('%s has a doc comment', (name) => {
  const declared = new RegExp(
    `^(.*)\\nexport (?:class|function|interface|type|const) ${name}\\b`,
    'm',
  );
  const before = files.flatMap((file) => declared.exec(read(file))?.[1] ?? []);
  expect(before).toEqual([expect.stringMatching(/\*\/$/)]);
});
