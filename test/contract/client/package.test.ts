import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLibrary } from '../../support/clients/books';
import { ROOT, run } from '../../support/service/child';
import { projectWithClient } from '../../support/clients/packed-client';

/** The client as npm packs it, in a project of its own. */

const RUN_MS = 60_000;
const BYTES_MAX = 15 * 1024;

let folder: string;
beforeAll(async () => {
  folder = await projectWithClient();
});

const node = (...args: string[]) =>
  run({ name: 'node', command: process.execPath, args, folder }, RUN_MS);

it('lends a title to a reader, imported or required', async () => {
  const library = await openLibrary();
  const { bookInfoId } = await library.registered({ copies: 1 });
  const options = JSON.stringify({ baseUrl: library.target.url, token: library.target.token() });
  const body = `
    const lendline = new Lendline(${options});
    lendline.borrows.create({ bookInfoId: ${bookInfoId} })
      .then(({ value, problem }) => console.log(value?.status ?? problem.code));`;
  await writeFile(
    join(folder, 'import.mjs'),
    `import { Lendline } from '@lendline/client';${body}`,
  );
  await writeFile(
    join(folder, 'require.cjs'),
    `const { Lendline } = require('@lendline/client');${body}`,
  );
  expect(await node('import.mjs')).toMatch(/^BORROWED$/m);
  expect(await node('require.cjs')).toMatch(/^ALREADY_BORROWED$/m);
});

it('names the codes of a refusal and the fields of a body to the compiler', async () => {
  const source = `
    import { Lendline } from '@lendline/client';
    const lendline = new Lendline({ baseUrl: '' });
    const made = await lendline.borrows.create({ bookInfoId: 42 });
    if (made.ok) made.value.dueAt.slice(0, 10);
    else if (made.problem.code === 'OUT_OF_STOCK') made.problem.bookInfoId?.toFixed();
    for await (const book of lendline.books.list({ q: 'dune' })) book.title.trim();
    const hold = await lendline.request('GET', '/api/holds/{holdId}', { path: { holdId: 1 } });
    if (hold.ok) hold.value.position;
    // @ts-expect-error No borrow is refused like this.
    if (!made.ok && made.problem.code === 'COURSE_FULL') made.problem.title;
    // @ts-expect-error A borrow names a title.
    await lendline.borrows.create({});
    // @ts-expect-error There is no such filter.
    lendline.books.list({ colour: 'blue' });
    // @ts-expect-error The path needs its id.
    await lendline.request('GET', '/api/holds/{holdId}');
    // @ts-expect-error There is no such path.
    await lendline.request('PUT', '/api/holds');`;
  await writeFile(join(folder, 'types.ts'), source);
  const tsc = join(ROOT, 'node_modules/typescript-native/bin/tsc');
  const options = ['--strict', '--noEmit', '--target', 'es2022'];
  const strict = [...options, '--lib', 'es2023,dom', '--exactOptionalPropertyTypes'];
  await node(tsc, ...strict, '--module', 'nodenext', 'types.ts');
  await node(tsc, ...strict, '--module', 'esnext', '--moduleResolution', 'bundler', 'types.ts');
});

it('is bundled for the browser into less than 15 KB, and depends on nothing', async () => {
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(ROOT, 'clients/typescript/package.json'), 'utf8'),
  ) as Record<string, unknown>;
  expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  await writeFile(
    join(folder, 'index.html'),
    '<script type="module">import { Lendline } from "@lendline/client"; window.lendline = new Lendline({ baseUrl: "" });</script>',
  );
  await node(vite, 'build', '--logLevel', 'error');
  const assets = join(folder, 'dist/assets');
  const [file = '', ...others] = readdirSync(assets);
  expect(others).toEqual([]);
  const code = readFileSync(join(assets, file), 'utf8');
  expect(code).toContain('Idempotency-Key');
  expect(code.length).toBeLessThan(BYTES_MAX);
});
