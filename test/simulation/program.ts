import type { Verdict } from './simulation';

/** Lines of a failure's story that are told: the last ones. */
const LINES_MAX = 60;
/** Longest line of a story, characters. */
const LINE_LENGTH_MAX = 240;
/** Calls that the place of an error is told with, where somebody looks. */
const STACK_LENGTH = 20;

/** One run of what is simulated. */
export interface Run {
  run(): Promise<Verdict>;
  /** Something was wrong. */
  fail(reason: unknown): void;
}

type Make = (seed: number, tell: ((line: string) => void) | undefined) => Run;

const say = (line: string) => process.stdout.write(`${line}\n`);

let running: Run | null = null;
// Where nobody catches it, an error ends a process of Node.
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => {
    if (running) running.fail(error);
    else say(String(error));
  });
}

function runOne(make: Make, seed: number, tell?: (line: string) => void): Promise<Verdict> {
  // Errors are made all the time here, and mostly nobody looks where.
  Error.stackTraceLimit = tell ? STACK_LENGTH : 0;
  running = make(seed, tell);
  return running.run();
}

/** Tells what happens with a seed: the last lines of it. False when it fails. */
export async function story(make: Make, seed: number, linesMax = LINES_MAX): Promise<boolean> {
  const lines: string[] = [];
  const { failure } = await runOne(make, seed, (line) =>
    lines.push(line.slice(0, LINE_LENGTH_MAX)),
  );
  for (const line of lines.slice(-linesMax)) say(line);
  say(failure === null ? `seed ${seed}: all is right` : `seed ${seed} fails: ${failure}`);
  return failure === null;
}

/** Runs seeds until one fails, and tells the end of its story. */
export async function seeds(make: Make, first: number, count: number): Promise<boolean> {
  let commands = 0;
  let steps = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    const verdict = await runOne(make, seed);
    if (verdict.failure !== null) return story(make, seed);
    commands += verdict.commands;
    steps += verdict.steps;
  }
  say(`${count} seeds, ${commands} commands, ${steps} steps: all is right`);
  return true;
}
