import { collectDefaultMetrics } from 'prom-client';
import { StartError } from './config';
import type { Logger } from './logger';

/** How long the whole shutdown may take, milliseconds; then the process ends anyway. */
export const SHUTDOWN_MS = 30_000;

export interface RunningProgram {
  readonly logger: Logger;
  /** Stops taking work, finishes what is held and closes every connection. */
  stop(): Promise<void>;
}

/**
 * Runs a program until SIGTERM or SIGINT, then stops it in order and exits 0.
 * A signal during the start counts once the start is done. A second signal, or the deadline, ends
 * the process at once. A start that fails exits 1 with one sentence on stderr.
 * It also measures the process with Node's own metrics.
 */
export function runProgram(start: () => Promise<RunningProgram>): void {
  collectDefaultMetrics();
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => {
      process.stderr.write(`Stopping took more than ${SHUTDOWN_MS / 1000} seconds\n`);
      process.exit(1);
    }, SHUTDOWN_MS).unref();
    void running.then((program) => stopInOrder(program, signal));
  };
  // Before the start: a supervisor that reads "ready" may stop the program at once.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const running = start().catch((error: unknown) => {
    process.stderr.write(
      error instanceof StartError
        ? `${error.message}\n`
        : `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return process.exit(1);
  });
}

async function stopInOrder(program: RunningProgram, signal: string): Promise<void> {
  program.logger.info({ signal }, 'stopping');
  try {
    await program.stop();
  } catch (error) {
    program.logger.error({ err: error }, 'stopping failed');
    process.exit(1);
  }
  process.exit(0);
}
