import './stand-ins';
import { declareModels, serveModels } from './database/models';
import { seeds, story } from './program';
import { Simulation } from './simulation';
import { currentProcess } from './time';
import { databaseOf } from './worker';

/**
 * Runs the simulation. It is a program and not a test, because it replaces the clock and modules of
 * its process, and because code runs several times as fast outside of Jest. Arguments:
 *
 * - `seeds FIRST COUNT` runs these seeds until one fails, and prints the end of its story
 * - `story SEED` prints everything that happens with a seed
 *
 * The exit code is 1 when a seed fails.
 */

const tables = declareModels();
serveModels(() => databaseOf(currentProcess()));

const make = (seed: number, tell?: (line: string) => void) =>
  new Simulation({ seed, tables, ...(tell && { tell }) });

function main([what, ...numbers]: readonly string[]): Promise<boolean> {
  const [first = 1, count = 1] = numbers.map(Number);
  switch (what) {
    case 'seeds':
      return seeds(make, first, count);
    case 'story':
      return story(make, first, Infinity);
    default:
      throw new Error('what to run: seeds FIRST COUNT, or story SEED');
  }
}

void main(process.argv.slice(2)).then((right) => {
  process.exitCode = right ? 0 : 1;
});
