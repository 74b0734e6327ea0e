import { collectDefaultMetrics } from 'prom-client';
import { StartError } from './config';
import type { Logger } from './logger';

/** How long the whole shutdown may take, milliseconds; then the process ends anyway. */
const SHUTDOWN_MS = 30_000;

export interface RunningProgram {
  readonly logger: Logger;
  /** Stops taking work, finishes what is held and closes every connection. */
  stop(): Promise<void>;
}

/**
 * Runs a program until SIGTERM or SIGINT, then stops it in order and exits 0. A second signal, or the deadline, ends it
 * at once. A start that cannot go on exits 1 with one sentence on stderr. What Node tells of the process is measured along.
 */
export function runProgram(start: () => Promise<RunningProgram>): void {
  collectDefaultMetrics();
  start().then(stopOnSignal, (error: unknown) => {
    process.stderr.write(error instanceof StartError ? `${error.message}\n` : `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  });
}

function stopOnSignal(program: RunningProgram): void {
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    program.logger.info({ signal }, 'stopping');
    setTimeout(() => {
      program.logger.error('stopping took too long');
      process.exit(1);
    }, SHUTDOWN_MS).unref();
    program.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        program.logger.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
