import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openLibrary, type Library } from '../../support/clients/books';
import { ROOT, run } from '../../support/service/child';
import { temporaryFolder } from '../../support/run/cleanup';

/** Clients that generators of others make from the document. */

/** How long one program may take on a busy machine, milliseconds. */
const RUN_MS = 60_000;

const HEY_API = join(dirname(require.resolve('@hey-api/openapi-ts/package.json')), 'bin/run.js');
const ORVAL = join(dirname(require.resolve('orval')), 'bin/orval.js');
const TSC = join(ROOT, 'node_modules/typescript-native/bin/tsc');
const STRICT = [
  ...['--strict', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable'],
  ...['--module', 'nodenext', '--types', '', '--declaration', 'false'],
];

/** Borrows a title, tries to borrow it again, looks at the borrow and returns the title. */
type Story = (url: string, token: string, bookInfoId: number) => Promise<readonly string[]>;

const BY_HEY_API = `
  import { borrow, getBorrow, returnBook } from './hey-api';
  import { client } from './hey-api/client.gen';
  export async function story(url: string, token: string, bookInfoId: number) {
    client.setConfig({ baseUrl: url, auth: token });
    const made = await borrow({ body: { bookInfoId }, headers: { 'Idempotency-Key': 'story' } });
    if (!made.data || !('borrowId' in made.data)) throw new Error(JSON.stringify(made.error));
    const { borrowId } = made.data;
    const again = await borrow({ body: { bookInfoId } });
    const seen = await getBorrow({ path: { borrowId } });
    const returned = await returnBook({ body: { borrowId } });
    if (!returned.data || !('dueAt' in returned.data)) throw new Error('not returned');
    const status: 'BORROWED' | 'RETURNED' | 'LOST' = returned.data.status;
    return [made.data.status, again.error?.code, seen.data?.status, status];
  }
  // @ts-expect-error There is no such field.
  export const misspelt = () => borrow({ body: { bokInfoId: 1 } });
  // @ts-expect-error A borrow names a title.
  export const nothing = () => borrow({ body: 5 });`;

const BY_ORVAL = `
  import { borrow, getBorrow, returnBook } from './orval';
  export async function story(_url: string, token: string, bookInfoId: number) {
    const options = { headers: { Authorization: \`Bearer \${token}\` } };
    const made = await borrow({ bookInfoId }, undefined, options);
    if (made.status !== 201) throw new Error(JSON.stringify(made.data));
    const { borrowId } = made.data;
    const again = await borrow({ bookInfoId }, undefined, options);
    if (again.status !== 409) throw new Error('borrowed twice');
    const seen = await getBorrow(borrowId, options);
    if (seen.status !== 200) throw new Error(JSON.stringify(seen.data));
    const returned = await returnBook({ borrowId }, options);
    if (returned.status !== 200) throw new Error(JSON.stringify(returned.data));
    const status: 'BORROWED' | 'RETURNED' | 'LOST' = returned.data.status;
    return [made.data.status, again.data.code, seen.data.status, status];
  }
  // @ts-expect-error There is no such field.
  export const misspelt = () => borrow({ bokInfoId: 1 });
  // @ts-expect-error A borrow names a title.
  export const nothing = () => borrow(5);`;

let library: Library;
let folder: string;
beforeAll(async () => {
  library = await openLibrary();
  folder = await temporaryFolder('generators');
  const { text } = await library.target.api().get('/openapi.json').expect(200);
  await writeFile(join(folder, 'openapi.json'), text);
});

const node = (...args: readonly string[]) =>
  run({ name: 'node', command: process.execPath, args, folder }, RUN_MS);

/** Compiles a story with the client that was made, and tells it. */
async function told(name: string, source: string): Promise<readonly string[]> {
  await writeFile(join(folder, `${name}-story.ts`), source);
  await node(TSC, ...STRICT, `${name}-story.ts`);
  const { story } = (await import(join(folder, `${name}-story.js`))) as { story: Story };
  const { bookInfoId } = await library.registered({ copies: 1 });
  return story(library.target.url, library.target.token(), bookInfoId);
}

const TOLD = ['BORROWED', 'ALREADY_BORROWED', 'BORROWED', 'RETURNED'];

it('are made by @hey-api/openapi-ts, compile strictly and lend a title', async () => {
  await node(HEY_API, '--input', 'openapi.json', '--output', 'hey-api', '--silent');
  expect(await told('hey-api', BY_HEY_API)).toEqual(TOLD);
});

it('are made by orval, compile strictly and lend a title', async () => {
  const output = { client: 'fetch', target: './orval.ts', baseUrl: library.target.url };
  const config = { lendline: { input: './openapi.json', output } };
  await writeFile(join(folder, 'orval.config.cjs'), `module.exports = ${JSON.stringify(config)};`);
  await node(ORVAL, '--config', 'orval.config.cjs');
  expect(await told('orval', BY_ORVAL)).toEqual(TOLD);
});
