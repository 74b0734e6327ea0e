import { Worker } from 'node:worker_threads';

/**
 * Ends the process when its event loop stands still. A command whose decision never ends would
 * otherwise hold its partitions for ever, here and, once the broker has given this process up, in
 * every other one as well. Ended, it is started again by whoever supervises it, and the command is
 * found out as one that ends processes: see `batch/suspects.ts`.
 *
 * A thread of its own looks, by counting its own turns and not by the clock: when the whole process
 * is stopped, or the machine sleeps, the thread stands still as well and counts nothing.
 */

/** How often the main thread says that it lives, and the watching thread looks, milliseconds. */
const TURN_MS = 1000;
/**
 * After this many looks without a sign of life the process is ended: a minute, which no garbage
 * collection or query takes.
 */
const TURNS_MAX = 60;

/**
 * Runs in the thread. Text, because a file of TypeScript could not be started as a thread under the
 * tests.
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

/** Starts to watch; the program may end without stopping it. */
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
