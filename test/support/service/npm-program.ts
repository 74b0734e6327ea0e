import { realpath } from 'node:fs/promises';
import { temporaryFolder } from '../run/cleanup';
import { ownEnvironment, run } from './child';

/** How long npm may take to fetch a program, milliseconds. */
export const FETCH_MS = 300_000;

/**
 * Returns the file of a program that npm keeps in its cache, and fetches it the first time. It is
 * for programs of hundreds of packages that one test needs. `packages` are exact versions, the
 * program's own first.
 */
export async function npmProgram(name: string, packages: readonly string[]): Promise<string> {
  const args = [
    ...['exec', '--yes', '--ignore-scripts', '--loglevel=error'],
    ...['--prefer-offline', '--fetch-retries=1'],
    ...packages.map((one) => `--package=${one}`),
    ...['--call', `command -v ${name}`],
  ];
  const folder = await temporaryFolder('npm');
  const npm = { name: 'npm exec', command: 'npm', args, env: ownEnvironment(), folder };
  const output = await run(npm, FETCH_MS).catch((cause: unknown) => {
    throw new Error(
      `${packages[0]} could not be fetched from the npm registry. This test needs the registry, or a machine on which it has run before.`,
      { cause },
    );
  });
  return realpath(output.trim().split('\n').at(-1) ?? '');
}
