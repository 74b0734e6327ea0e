import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../service/child';
import { temporaryFolder } from '../run/cleanup';
import type { Environment } from '../service/processes';

/** The clock of a program under test: see `clock-hook.js`. */
export interface WrongClock {
  /** For the program. */
  readonly env: Environment;
  /** Sets it to so many milliseconds ahead of the right time, or behind it when negative. */
  set(wrongByMs: number): Promise<void>;
}

export async function newClock(wrongByMs: number): Promise<WrongClock> {
  const file = join(await temporaryFolder('clock'), 'wrong-by');
  const set = async (ms: number) => {
    // In one step, for the program may read at any time.
    await writeFile(`${file}.next`, String(ms));
    await rename(`${file}.next`, file);
  };
  await set(wrongByMs);
  return {
    env: {
      TEST_CLOCK: file,
      NODE_OPTIONS: `--require ${join(ROOT, 'test/support/faults/clock-hook.js')}`,
    },
    set,
  };
}
