import { access, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Child, ROOT, run } from '../../support/service/child';
import { temporaryFolder } from '../../support/run/cleanup';

/** The command `lendline`, as npm packs it, beside the packages that it depends on. */

/** How long npm, and the start of the service, may take, milliseconds. */
const NPM_MS = 120_000;
const START_MS = 60_000;

let folder: string;
let installed: string;
beforeAll(async () => {
  folder = await temporaryFolder('command');
  const at = { folder, name: 'pack' };
  const packed = await run({ ...at, command: 'npm', args: ['pack', '--silent', ROOT] }, NPM_MS);
  installed = join(folder, 'node_modules/lendline');
  await mkdir(installed, { recursive: true });
  const unpack = ['-xzf', packed.trim(), '-C', installed, '--strip-components=1'];
  await run({ ...at, command: 'tar', args: unpack }, NPM_MS);
  await symlink(join(ROOT, 'node_modules'), join(installed, 'node_modules'));
});

/** Without the settings of this process. */
const lendline = (...args: string[]) =>
  new Child({
    name: `lendline ${args.join(' ')}`,
    command: process.execPath,
    args: [join(installed, 'dist/lendline.js'), ...args],
    env: { DATA_DIR: join(folder, 'data'), API_PORT: '0' },
  });

const ended = async (...args: string[]) => {
  const child = lendline(...args);
  const { code } = await child.exited;
  return { code, output: child.output };
};

it('holds what the commands read', async () => {
  for (const file of ['deploy/mysql/accounts.sql', 'deploy/rabbitmq/definitions.json'])
    await access(join(installed, file));
});

it('runs the service, and what operators do with its data', async () => {
  const service = lendline('start');
  const url = await service.line('listens', START_MS, (line) => /http:[^\s"]+/.exec(line)?.[0]);
  const page = await fetch(`${url}/openapi.json`);
  expect(page.status).toBe(200);
  expect((await service.stop()).code).toBe(0);
  expect(await ended('audit', '--json')).toMatchObject({
    code: 0,
    output: expect.stringContaining('"agree":true'),
  });
});

it('names the commands of the package, not those of a checkout', async () => {
  expect(await ended('--help')).toMatchObject({
    output: expect.stringContaining('Usage: npx lendline <command>'),
  });
  expect(await ended('doctor', '--servers')).toMatchObject({
    code: 1,
    output: expect.stringContaining('npx lendline migrate creates a missing database.'),
  });
});

it.each([
  [0, ['token', '--user', '1', '--username', 'Ann']],
  [1, ['import-books', 'nowhere.csv', '--token', 'x']],
  [2, ['fly']],
  [2, ['token', '--user', 'Ann']],
])('exits %i after %j', async (code, args) => {
  expect(await ended(...args)).toMatchObject({ code });
});
