import './stand-ins';
import { declareModels, serveModels } from './database/models';
import { Simulation, type Verdict } from './simulation';
import { currentProcess } from './time';
import { databaseOf } from './worker';

/**
 * The program that simulates. It is one of its own, and not a test, because it puts stand-ins in the place of the clock and of
 * modules for everything that runs in it, and because code runs several times as fast outside of Jest. Arguments:
 *
 * - `seeds FIRST COUNT` runs these seeds until one fails, and tells the end of its story
 * - `story SEED` tells everything that happens with a seed
 *
 * The exit code is 1 when a seed fails.
 */

/** Lines of a failure's story that are told: the last ones. */
const LINES_MAX = 60;
/** Longest line of a story, characters. */
const LINE_LENGTH_MAX = 240;
/** Calls that the place of an error is told with, where somebody looks. */
const STACK_LENGTH = 20;

const tables = declareModels();
serveModels(() => databaseOf(currentProcess()));

let running: Simulation | null = null;
// Where nobody catches it, an error ends a process of Node.
for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, (error) => running?.fail(error));

const say = (line: string) => process.stdout.write(`${line}\n`);

function run(seed: number, tell?: (line: string) => void): Promise<Verdict> {
  // Errors are made all the time here, and mostly nobody looks where.
  Error.stackTraceLimit = tell ? STACK_LENGTH : 0;
  running = new Simulation({ seed, tables, ...(tell && { tell }) });
  return running.run();
}

async function story(seed: number, linesMax: number): Promise<boolean> {
  const lines: string[] = [];
  const { failure } = await run(seed, (line) => lines.push(line.slice(0, LINE_LENGTH_MAX)));
  for (const line of lines.slice(-linesMax)) say(line);
  say(failure === null ? `seed ${seed}: all is right` : `seed ${seed} fails: ${failure}`);
  return failure === null;
}

async function seeds(first: number, count: number): Promise<boolean> {
  let commands = 0;
  let steps = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    const verdict = await run(seed);
    if (verdict.failure !== null) return story(seed, LINES_MAX);
    commands += verdict.commands;
    steps += verdict.steps;
  }
  say(`${count} seeds, ${commands} commands, ${steps} steps: all is right`);
  return true;
}

function main([what, ...numbers]: readonly string[]): Promise<boolean> {
  const [first = 1, count = 1] = numbers.map(Number);
  switch (what) {
    case 'seeds':
      return seeds(first, count);
    case 'story':
      return story(first, Infinity);
    default:
      throw new Error('what to run: seeds FIRST COUNT, or story SEED');
  }
}

void main(process.argv.slice(2)).then((right) => {
  process.exitCode = right ? 0 : 1;
});
