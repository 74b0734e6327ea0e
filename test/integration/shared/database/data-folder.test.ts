import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../../support/run/cleanup';
import { OpsShell } from '../../../support/service/ops-shell';
import { startEmbedded, type Embedded } from '../../../support/service/processes';

/**
 * The folder of the embedded default, which holds names, password hashes and the secret of the
 * tokens.
 */

const rights = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

async function rightsIn(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await rights(join(folder, name))])),
  );
}

const shell = new OpsShell();
const startInVain = (dataDir: string) =>
  shell.startInVain('standalone.js', { DATA_DIR: dataDir, API_PORT: '0' });

interface Seen {
  readonly rights: string;
  readonly rightsIn: Record<string, string>;
  readonly secret: string;
}

/** A folder after the first start of a service, and after one that found it open to others. */
let first: Seen;
let second: Seen;
let service: Embedded;

beforeAll(async () => {
  const dataDir = join(await temporaryFolder('private'), 'data');
  const started = async (): Promise<Seen> => {
    service = await startEmbedded({ dataDir, env: { JWT_SECRET: '' } });
    return {
      rights: await rights(dataDir),
      rightsIn: await rightsIn(dataDir),
      secret: await readFile(join(dataDir, 'jwt-secret'), 'utf8'),
    };
  };
  first = await started();
  await service.stop();
  await chmod(dataDir, 0o755);
  for (const name of await readdir(dataDir)) await chmod(join(dataDir, name), 0o644);
  second = await started();
});

const expectPrivate = (seen: Seen) => {
  expect(seen.rights).toBe('700');
  expect(new Set(Object.values(seen.rightsIn))).toEqual(new Set(['600']));
};

it('and all its files can be read only by their owner', () => {
  expect(Object.keys(first.rightsIn)).toEqual(
    expect.arrayContaining([
      'jwt-secret',
      'lendline.sqlite',
      'lendline.sqlite-wal',
      'lendline.sqlite-shm',
      'lock.sqlite',
    ]),
  );
  expectPrivate(first);
});

it('that others may read is closed to them at the next start', () => {
  expectPrivate(second);
});

it('keeps its secret from one start to the next, and no unfinished one beside it', () => {
  expect(first.secret).toMatch(/^[0-9a-f]{64}\n$/);
  expect(second.secret).toBe(first.secret);
  for (const { rightsIn: files } of [first, second])
    expect(Object.keys(files)).not.toContain('jwt-secret.new');
});

it('keeps its own rights when it holds files of somebody else, who may need them', async () => {
  const dataDir = join(await temporaryFolder('shared'), 'data');
  await mkdir(dataDir, { mode: 0o755 });
  await writeFile(join(dataDir, 'notes.txt'), 'mine', { mode: 0o644 });
  const own = await startEmbedded({ dataDir });
  expect([
    await rights(dataDir),
    await rights(join(dataDir, 'notes.txt')),
    await rights(join(dataDir, 'lendline.sqlite')),
  ]).toEqual(['755', '644', '600']);
  await own.stop();
});

it('that belongs to another user, as a mounted volume may, can be used as it is', async () => {
  const folder = await temporaryFolder('volume');
  // Root alone can give a folder away; without it nobody else's is to be had.
  const foreign = process.getuid?.() === 0;
  if (foreign) await chown(folder, 4242, 4242);
  await chmod(folder, 0o777);
  const own = await startEmbedded({ dataDir: folder });
  expect([await rights(folder), await rights(join(folder, 'lendline.sqlite'))]).toEqual([
    foreign ? '777' : '700',
    '600',
  ]);
  await own.stop();
});

it.each(['', 'deadbeef\n'])(
  'with a damaged secret (%j) stops the start and the tools, and says what to do',
  async (content) => {
    const dataDir = await temporaryFolder('damaged');
    await writeFile(join(dataDir, 'jwt-secret'), content);
    const sentence =
      /jwt-secret is damaged: it holds \d characters .* Restore it from a backup, or delete it/;
    expect(await startInVain(dataDir)).toMatchObject({
      code: 1,
      output: expect.stringMatching(sentence) as string,
    });
    expect(await readFile(join(dataDir, 'jwt-secret'), 'utf8')).toBe(content);
    await writeFile(join(dataDir, 'lendline.sqlite'), '');
    const token = await shell.runIn(
      { DATA_DIR: dataDir },
      ...['token', '--user', '1', '--username', 'ada'],
    );
    expect([token.code, token.output]).toEqual([1, expect.stringMatching(sentence)]);
  },
);

it('belongs to one process at a time', async () => {
  expect(await startInVain(service.dataDir)).toMatchObject({
    code: 1,
    output: expect.stringContaining('is in use by another process') as string,
  });
  await service.kill();
  await (await startEmbedded({ dataDir: service.dataDir })).stop();
});
