import {
  cpSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../support/service/child';
import { temporaryFolder } from '../support/run/cleanup';

/** How long a build of one small file may take, milliseconds. */
const BUILD_MS = 60_000;
/** An instant before any build. */
const LONG_AGO = new Date('2020-01-01');

describe('a build', () => {
  let folder: string;
  const source = () => join(folder, 'standalone.ts');
  const built = () => join(folder, 'dist/standalone.js');
  const build = () =>
    run(
      { name: 'build', command: process.execPath, args: [join(folder, 'build.mjs'), 'code'] },
      BUILD_MS,
    );
  /** Whether a build compiles. */
  const compiles = async (): Promise<boolean> => {
    utimesSync(built(), LONG_AGO, LONG_AGO);
    await build();
    return statSync(built()).mtime > LONG_AGO;
  };

  beforeEach(async () => {
    folder = await temporaryFolder('build');
    for (const file of ['build.mjs', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'])
      cpSync(join(ROOT, file), join(folder, file));
    for (const part of ['api', 'shared', 'workers', 'clients/typescript/src'])
      mkdirSync(join(folder, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(source(), 'export const answer: number = 1;\n');
    for (const file of ['embedded.ts', 'lendline.ts'])
      writeFileSync(join(folder, file), 'export {};\n');
    await build();
  });

  it('is skipped while its sources hold what they held, whatever their times', async () => {
    utimesSync(source(), new Date(), new Date());
    expect(await compiles()).toBe(false);
  });

  it('compiles a source that changed, although it looks old', async () => {
    writeFileSync(source(), 'export const answer: number = 2;\n');
    utimesSync(source(), LONG_AGO, LONG_AGO);
    expect(await compiles()).toBe(true);
    expect(readFileSync(built(), 'utf8')).toContain('answer = 2');
  });

  it('that failed is not taken for done', async () => {
    writeFileSync(source(), 'export const answer: number = "two";\n');
    await expect(build()).rejects.toThrow('not assignable');
    await expect(build()).rejects.toThrow('not assignable');
  });
});
