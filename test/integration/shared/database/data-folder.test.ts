import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../../support/run/cleanup';
import { runOps } from '../../../support/service/ops-program';
import { startEmbedded, startInVain } from '../../../support/service/processes';

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

it('and all its files can be read only by their owner', async () => {
  const dataDir = join(await temporaryFolder('private'), 'data');
  const service = await startEmbedded({ dataDir, env: { JWT_SECRET: '' } });
  expect(await rights(dataDir)).toBe('700');
  const files = await rightsIn(dataDir);
  expect(Object.keys(files)).toEqual(
    expect.arrayContaining([
      'jwt-secret',
      'lendline.sqlite',
      'lendline.sqlite-wal',
      'lendline.sqlite-shm',
      'lock.sqlite',
    ]),
  );
  expect(new Set(Object.values(files))).toEqual(new Set(['600']));
  await service.stop();
});

it('that others may read is closed to them at the next start', async () => {
  const dataDir = join(await temporaryFolder('open'), 'data');
  await (await startEmbedded({ dataDir })).stop();
  await chmod(dataDir, 0o755);
  for (const name of await readdir(dataDir)) await chmod(join(dataDir, name), 0o644);
  const service = await startEmbedded({ dataDir });
  expect(await rights(dataDir)).toBe('700');
  expect(new Set(Object.values(await rightsIn(dataDir)))).toEqual(new Set(['600']));
  await service.stop();
});

it('keeps its own rights when it holds files of somebody else, who may need them', async () => {
  const dataDir = join(await temporaryFolder('shared'), 'data');
  await mkdir(dataDir, { mode: 0o755 });
  await writeFile(join(dataDir, 'notes.txt'), 'mine', { mode: 0o644 });
  const service = await startEmbedded({ dataDir });
  expect([
    await rights(dataDir),
    await rights(join(dataDir, 'notes.txt')),
    await rights(join(dataDir, 'lendline.sqlite')),
  ]).toEqual(['755', '644', '600']);
  await service.stop();
});

it('that belongs to another user, as a mounted volume may, can be used as it is', async () => {
  const folder = await temporaryFolder('volume');
  // Root alone can give a folder away; without it nobody else's is to be had.
  const foreign = process.getuid?.() === 0;
  if (foreign) await chown(folder, 4242, 4242);
  await chmod(folder, 0o777);
  const service = await startEmbedded({ dataDir: folder });
  expect([await rights(folder), await rights(join(folder, 'lendline.sqlite'))]).toEqual([
    foreign ? '777' : '700',
    '600',
  ]);
  await service.stop();
});

it('keeps its secret from one start to the next, and no unfinished one beside it', async () => {
  const dataDir = join(await temporaryFolder('secret'), 'data');
  const secretOf = async () => {
    await (await startEmbedded({ dataDir, env: { JWT_SECRET: '' } })).stop();
    return readFile(join(dataDir, 'jwt-secret'), 'utf8');
  };
  const secret = await secretOf();
  expect(secret).toMatch(/^[0-9a-f]{64}\n$/);
  expect(await secretOf()).toBe(secret);
  expect(await readdir(dataDir)).not.toContain('jwt-secret.new');
});

it.each(['', 'deadbeef\n'])(
  'with a damaged secret (%j) stops the start and the tools, and says what to do',
  async (content) => {
    const dataDir = await temporaryFolder('damaged');
    await writeFile(join(dataDir, 'jwt-secret'), content);
    const sentence =
      /jwt-secret is damaged: it holds \d characters .* Restore it from a backup, or delete it/;
    expect(await startInVain('standalone.js', { DATA_DIR: dataDir, API_PORT: '0' })).toMatchObject({
      code: 1,
      output: expect.stringMatching(sentence) as string,
    });
    expect(await readFile(join(dataDir, 'jwt-secret'), 'utf8')).toBe(content);
    await writeFile(join(dataDir, 'lendline.sqlite'), '');
    const token = await runOps({ DATA_DIR: dataDir }, 'token', '--user', '1', '--username', 'ada');
    expect([token.code, token.output]).toEqual([1, expect.stringMatching(sentence)]);
  },
);

it('belongs to one process at a time', async () => {
  const service = await startEmbedded();
  const second = await startInVain('standalone.js', { DATA_DIR: service.dataDir, API_PORT: '0' });
  expect(second).toMatchObject({
    code: 1,
    output: expect.stringContaining('is in use by another process') as string,
  });
  await service.kill();
  await (await startEmbedded({ dataDir: service.dataDir })).stop();
});
