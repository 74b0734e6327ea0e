import 'reflect-metadata';
import { cleanUp } from '../support/run/cleanup';
import { benchBorrows } from './borrows';
import { benchConsole } from './console';
import { benchConsolePage } from './console-page';
import { benchCounts } from './counts';
import { benchFairness } from './fairness';
import { benchFirstPaint } from './first-paint';
import { benchMemory } from './memory';
import { benchPostSearch } from './post-search';
import { benchProfile } from './profile/profile';
import { benchQuick } from './quick';
import { benchSearch } from './search';

/**
 * `npm run bench`: what is measured, by name, `borrows` when there is none; its arguments follow.
 */
const benches: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  borrows: benchBorrows,
  console: benchConsole,
  'console-page': benchConsolePage,
  counts: benchCounts,
  fairness: benchFairness,
  'first-paint': benchFirstPaint,
  memory: benchMemory,
  posts: benchPostSearch,
  profile: benchProfile,
  quick: benchQuick,
  search: benchSearch,
};

const given = process.argv.slice(2);
const [name = '', ...args] =
  given[0] === undefined || given[0].startsWith('-') ? ['borrows', ...given] : given;
const bench = benches[name];

async function main(): Promise<number> {
  if (!bench) {
    process.stderr.write(
      `npm run bench -- NAME, where NAME is one of: ${Object.keys(benches).join(', ')}\n`,
    );
    return 2;
  }
  await bench(args);
  return Number(process.exitCode ?? 0);
}

void main()
  .catch((error: unknown) => {
    process.stderr.write(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return 1;
  })
  .then(async (code) => {
    await cleanUp();
    process.exit(code);
  });
