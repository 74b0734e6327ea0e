import { Worker } from 'node:worker_threads';

/**
 * Ends the process when its event loop stands still.
 * A command whose decision never ends would otherwise hold its partitions for ever, here and then
 * in every other process. After the end a supervisor starts the process again, and the command is
 * found as one that ends processes: see `batch/suspects.ts`.
 * A separate thread watches. It counts its own turns instead of reading the clock. When the whole
 * process is paused, or the machine sleeps, the thread pauses as well and counts nothing.
 */

/** How often the main thread gives a sign of life, and the watching thread checks, milliseconds. */
const TURN_MS = 1000;
/**
 * After this many checks without a sign of life, the process is ended: a minute, longer than any
 * garbage collection or query.
 */
const TURNS_MAX = 60;

/**
 * Runs in the thread. It is text, because the tests could not start a TypeScript file as a thread.
 */
const WATCHING = `
  const { workerData: { beats, turnMs, turnsMax } } = require('node:worker_threads');
  const { writeSync } = require('node:fs');
  const never = new Int32Array(new SharedArrayBuffer(4));
  const signs = new Int32Array(beats);
  let seen = -1;
  for (let still = 0; still < turnsMax; still += 1) {
    Atomics.wait(never, 0, 0, turnMs);
    const sign = Atomics.load(signs, 0);
    if (sign !== seen) still = 0;
    seen = sign;
  }
  writeSync(2, 'The event loop has stood still for ' + turnsMax * turnMs + ' ms: the process ends itself.\\n');
  process.kill(process.pid, 'SIGKILL');
`;

export interface WatchdogOptions {
  readonly turnMs?: number;
  readonly turnsMax?: number;
}

/** Starts to watch. The program may end without stopping it. */
export function startWatchdog({ turnMs = TURN_MS, turnsMax = TURNS_MAX }: WatchdogOptions = {}): {
  stop(): Promise<void>;
} {
  const beats = new SharedArrayBuffer(4);
  const signs = new Int32Array(beats);
  const timer = setInterval(() => Atomics.add(signs, 0, 1), turnMs);
  timer.unref();
  const thread = new Worker(WATCHING, {
    eval: true,
    workerData: { beats, turnMs, turnsMax },
    execArgv: [],
    env: {},
  });
  thread.unref();
  return {
    async stop() {
      clearInterval(timer);
      await thread.terminate();
    },
  };
}
