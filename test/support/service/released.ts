import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, run } from './child';

/**
 * The latest release, built from its commit, which the history of every clone has. Its hash stands
 * in released.json, because a clone need not have the tags.
 */

/** The builds of releases stay for the next run. */
const CACHE = join(ROOT, 'node_modules/.cache/lendline-releases');
/** How long each step may take, milliseconds. */
const STEP_MS = 300_000;

export interface Released {
  readonly version: string;
  /** The folder of the project as it was. */
  readonly root: string;
}

/** @throws Error when the clone lacks the commit. */
export async function latestRelease(): Promise<Released> {
  const { version, commit } = JSON.parse(
    readFileSync(join(__dirname, 'released.json'), 'utf8'),
  ) as { version: string; commit: string };
  const root = join(CACHE, commit);
  if (!existsSync(root)) {
    const making = `${root}.${process.pid}`;
    await mkdir(making, { recursive: true });
    await extract(commit, making);
    await provideModules(making);
    await step(making, process.execPath, 'build.mjs', 'code');
    await rename(making, root);
  }
  return { version, root };
}

async function step(folder: string, command: string, ...args: string[]): Promise<void> {
  await run({ name: `${command} ${args.join(' ')}`, command, args, folder }, STEP_MS);
}

async function extract(commit: string, folder: string): Promise<void> {
  const archive = join(folder, 'release.tar');
  await step(
    ROOT,
    'git',
    // The clone may belong to another user.
    '-c',
    'safe.directory=*',
    'archive',
    `--output=${archive}`,
    commit,
  ).catch((error: unknown) => {
    throw new Error(
      `the release ${commit} is not in this clone: git fetch --unshallow brings its history`,
      { cause: error },
    );
  });
  await step(folder, 'tar', '-xf', archive);
  await rm(archive);
}

/** Those of this tree where they are the same, else its own. */
async function provideModules(folder: string): Promise<void> {
  if (modulesOf(folder) === modulesOf(ROOT))
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else await step(folder, 'npm', 'ci', '--ignore-scripts');
}

/** Returns what npm installs from the registry. */
function modulesOf(folder: string): string {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { link?: boolean }>;
  };
  const installed = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  );
  return JSON.stringify(installed);
}
