import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/service/child';

/** Tests that the documentation names are there, so that no claim rests on one that is gone. */

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const inCode = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
const exists = (path: string) =>
  ['', '.ts', '.test.ts'].some((ending) => existsSync(join(ROOT, `${path}${ending}`)));

const PAGES = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'],
  ...readdirSync(join(ROOT, 'docs'), { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Pages with tables whose last column names tests, and files that show what no test can. */
const TABLES = ['docs/security/asvs.md', 'docs/security/threats.md'];

/** The last cells of the tables whose last column is headed "tested in". */
function testedIn(page: string): string[] {
  return page
    .split(/\n\n/)
    .filter((block) => /^\|.*\| tested in \|\n/.test(block))
    .flatMap((block) => block.split('\n').slice(2))
    .map((row) => /\|([^|]*)\|$/.exec(row)?.[1] ?? row);
}

it('no page names a test that is not there', () => {
  const named = PAGES.flatMap((page) =>
    inCode(read(page)).flatMap((code) => (/^test\/\S+$/.test(code) ? [{ page, code }] : [])),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ code }) => !exists(code))).toEqual([]);
});

it.each(TABLES)('%s has a test or a file behind every claim', (page) => {
  const named = testedIn(read(page)).flatMap(inCode);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !exists(name) && !exists(`test/contract/common/${name}`))).toEqual(
    [],
  );
});
