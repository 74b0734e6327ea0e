import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { Child, ownEnvironment, run } from '../../service/child';

/** Servers lie where an ordinary user's PATH often does not lead. */
const MORE_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];
/** How long apt-get may take for one step, milliseconds. */
const APT_MS = 600_000;
const POLICY = '/usr/sbin/policy-rc.d';
const LOCK = join(tmpdir(), 'lendline-tests-install.lock');

/**
 * Returns the first of the named programs that is installed, with its path; those in the folder
 * TEST_PROGRAMS come before all others.
 */
export function findProgram(...names: string[]): string | null {
  const preferred = process.env.TEST_PROGRAMS;
  const chosen = preferred && names.map((name) => join(preferred, basename(name))).find(executable);
  if (chosen) return chosen;
  const folders = [...(process.env.PATH ?? '').split(':'), ...MORE_FOLDERS].filter(isAbsolute);
  for (const name of names) {
    const found = (isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name))).find(
      executable,
    );
    if (found) return found;
  }
  return null;
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const isRoot = (): boolean => process.getuid?.() === 0;

/** Options that a server wants only when root starts it. */
export const asRoot = (...options: string[]): string[] => (isRoot() ? options : []);

/**
 * Returns whether packages can be installed here: root, on Debian or one of its children such as
 * Ubuntu.
 */
export function canInstall(): boolean {
  if (!isRoot() || !findProgram('apt-get') || !existsSync('/etc/os-release')) return false;
  return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(readFileSync('/etc/os-release', 'utf8'));
}

/**
 * Returns the path of a program that has one of these names, installed from the distribution's
 * package of the first name when it is missing.
 * @throws Error that begins with `missing` and says what to do.
 */
export async function provideProgram(
  names: readonly [string, ...string[]],
  missing: string,
): Promise<string> {
  const found = findProgram(...names);
  if (found) return found;
  if (canInstall()) await install([names[0]]);
  const path = findProgram(...names);
  if (!path) throw new Error(`${missing}: install it, or run them as root on Debian or Ubuntu.`);
  return path;
}

/**
 * Installs packages; the services that they bring are not started, for the tests run servers of
 * their own.
 */
export async function install(packages: readonly string[]): Promise<void> {
  process.stderr.write(
    `Installing ${packages.join(', ')} with apt-get for the tests; the packages' own services are not started.\n`,
  );
  await oneAtATime(() =>
    withoutServices(async () => {
      await aptGet('update');
      await aptGet('install', '--yes', '--no-install-recommends', ...packages);
    }),
  );
}

/**
 * Jest's processes run side by side, and would put each other's script away. The kernel takes the
 * lock back from whoever has ended.
 */
async function oneAtATime(action: () => Promise<void>): Promise<void> {
  const lock = new Child({
    name: 'flock',
    command: 'flock',
    args: [LOCK, 'sh', '-c', 'echo locked; exec sleep infinity'],
  });
  try {
    await lock.line('has the lock', APT_MS, (line) => line === 'locked' || undefined);
    await action();
  } finally {
    await lock.kill();
  }
}

/** Debian's packages ask this script before they start a service; 101 says no. */
async function withoutServices(action: () => Promise<void>): Promise<void> {
  const kept = existsSync(POLICY) ? `${POLICY}.before-tests` : null;
  if (kept) await rename(POLICY, kept);
  try {
    await writeFile(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
    await action();
  } finally {
    if (kept) await rename(kept, POLICY);
    else await rm(POLICY, { force: true });
  }
}

async function aptGet(...args: string[]): Promise<void> {
  const options = ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args];
  await run(
    {
      name: `apt-get ${args.join(' ')}`,
      command: 'apt-get',
      args: options,
      env: { ...ownEnvironment(), DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
    },
    APT_MS,
  );
}
