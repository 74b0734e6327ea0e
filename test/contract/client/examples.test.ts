import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLibrary, uniqueWord, type Library } from '../../support/clients/books';
import { Child, ROOT } from '../../support/service/child';
import { projectWithClient } from '../../support/clients/packed-client';
import { waitUntil } from '../../support/wait';

/** The examples, run as their readers run them. */

const RUN_MS = 60_000;

let library: Library;
let folder: string;
beforeAll(async () => {
  library = await openLibrary();
  folder = await projectWithClient(['examples']);
});

const environment = (env: Record<string, string>) => ({ API_URL: library.target.url, ...env });

/** Runs an example to its end; returns what it printed. */
function printed(command: string, args: string[], env: Record<string, string>, input = ''): string {
  const options = { cwd: folder, input, encoding: 'utf8', timeout: RUN_MS } as const;
  const { PATH = '' } = process.env;
  const ended = spawnSync(command, args, { ...options, env: { PATH, ...environment(env) } });
  expect(ended).toMatchObject({ status: 0, stderr: '' });
  return ended.stdout;
}

it('the kiosk signs a reader in, finds, lends, lists and takes back, and says why it refuses', async () => {
  const word = uniqueWord();
  const { bookInfoId } = await library.registered({ title: word, copies: 1 });
  const [username, password] = [`kiosk-${randomUUID()}`, randomUUID()];
  await library.target.api().post('/api/auth/signup').send({ username, password }).expect(201);
  const entered = [
    ...[username, 'wrong password', username, password],
    ...[`find ${word}`, `borrow ${bookInfoId}`, `borrow ${bookInfoId}`, 'mine'],
    ...[`return ${bookInfoId}`, 'mine', `find ${uniqueWord()}`, 'dance'],
  ];
  const lines = printed(process.execPath, ['examples/kiosk.mjs'], {}, `${entered.join('\n')}\n`);
  const said = lines.replaceAll(/Username: |Password: |> /g, '').split('\n');
  const day = expect.stringMatching(/\d{4}-\d\d-\d\d\.?$/);
  expect(said).toEqual([
    expect.stringMatching(/password/),
    'find WORDS, borrow ID, return ID, mine',
    expect.stringMatching(new RegExp(`^${bookInfoId}  ${word}, .* \\(1 available\\)$`)),
    day,
    expect.stringMatching(/already|have/),
    day,
    `"${word}" is returned.`,
    'No titles found.',
    'Commands: find, borrow, return, mine',
    '',
  ]);
});

it('the list of open borrows catches up with what happened while it was away', async () => {
  const reader = library.newReader();
  const borrow = async () => {
    const { bookInfoId } = await library.registered({ copies: 1 });
    return library.borrowed(reader, { bookInfoId });
  };
  const TOKEN = library.target.token({ isAdmin: true });
  const open = (): number[] => {
    try {
      const text = readFileSync(join(folder, 'open-borrows.json'), 'utf8');
      return (JSON.parse(text) as { borrows: [number, object][] }).borrows.map(([id]) => id);
    } catch {
      return [];
    }
  };
  const start = () => {
    const args = ['examples/open-borrows.mjs'];
    const env = environment({ TOKEN });
    return new Child({ name: 'open borrows', command: process.execPath, args, env, folder });
  };
  const isOpen = (borrowId: number) => open().includes(borrowId);

  const before = await borrow();
  const consumer = start();
  const live = await borrow();
  await waitUntil('both', RUN_MS, () => isOpen(before.borrowId) && isOpen(live.borrowId));
  await consumer.kill();
  await library.returned(reader, { borrowId: live.borrowId });
  const away = await borrow();
  start();
  await waitUntil('the rest', RUN_MS, () => isOpen(away.borrowId) && !isOpen(live.borrowId));
  expect(isOpen(before.borrowId)).toBe(true);
});

it('the load of many readers prints calls and refusals', async () => {
  const { bookInfoId } = await library.registered({ copies: 1 });
  const env = { BOOK: String(bookInfoId), READERS: '4', SECONDS: '1' };
  const line = printed(process.execPath, ['examples/load.mjs'], env);
  expect(line).toMatch(/^\d+ calls\/s, median [\d.]+ ms, refused: \{"OUT_OF_STOCK":\d+/);
});

it('the script for curl borrows a title', async () => {
  const { bookInfoId } = await library.registered({ copies: 1 });
  const env = { TOKEN: library.target.token() };
  const json = printed('sh', ['examples/borrow.sh', String(bookInfoId)], env);
  expect(JSON.parse(json)).toMatchObject({ bookInfoId, status: 'BORROWED' });
});

it('an example is named in docs/README.md', () => {
  const page = readFileSync(join(ROOT, 'docs/README.md'), 'utf8');
  for (const name of ['kiosk.mjs', 'open-borrows.mjs', 'load.mjs', 'borrow.sh'])
    expect(page).toContain(`(../examples/${name})`);
});
