import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../service/child';
import type { Library } from '../clients/books';
import { temporaryFolder } from '../run/cleanup';
import type { Environment, Program } from '../service/processes';

/** What a command for a title does to the process that decides it: see `poison-hook.js`. */
export type PoisonKind = 'die' | 'loop' | 'memory' | 'throw';

export interface Poison {
  /** For the programs that decide. */
  readonly env: Environment;
  set(faults: Readonly<Record<number, PoisonKind>>): Promise<void>;
  /** The fault is mended. */
  lift(): Promise<void>;
}

interface PoisonOptions {
  /** More options for Node. */
  readonly nodeOptions?: string;
  /** Whether a decision that never ends ends the process after a second, and not after a minute. */
  readonly quickWatchdog?: boolean;
}

export async function newPoison({
  nodeOptions = '',
  quickWatchdog = false,
}: PoisonOptions = {}): Promise<Poison> {
  const file = join(await temporaryFolder('poison'), 'faults.json');
  return {
    env: {
      TEST_POISON: file,
      ...(quickWatchdog && { TEST_QUICK_WATCHDOG: 'true' }),
      NODE_OPTIONS: `--require ${join(ROOT, 'test/support/faults/poison-hook.js')} ${nodeOptions}`,
    },
    set: (faults) => writeFile(file, JSON.stringify(faults)),
    lift: () => rm(file),
  };
}

/** Returns a title of which a borrow became a dead letter, and another one is parked behind it. */
export async function quarantined(library: Library, poison: Poison): Promise<number> {
  const { bookInfoId } = await library.registered({ copies: 2 });
  await poison.set({ [bookInfoId]: 'throw' });
  for (const { token } of [library.newReader(), library.newReader()])
    expect(
      (await library.call('post', '/api/borrows', { token, body: { bookInfoId } })).status,
    ).toBe(500);
  await poison.lift();
  return bookInfoId;
}

/** Most restarts before a program is taken for lost. */
const DEATHS_MAX = 50;

/** Starts a program again whenever it ends, as an operator's supervisor does. */
export class Supervisor {
  deaths = 0;
  private stopped = false;

  constructor(private readonly start: () => Promise<Program>) {}

  /** Runs until `stop`. Begins with a running program, if there is one. */
  async keep(running: Program | null = null): Promise<void> {
    for (let program = running; ; program = null) {
      // Null: it ended before it was ready.
      program ??= await this.start().catch(() => null);
      await program?.child.exited;
      if (this.stopped || this.deaths === DEATHS_MAX) return;
      this.deaths += 1;
    }
  }

  stop(): void {
    this.stopped = true;
  }
}
