import { join } from 'node:path';
import { amount } from '../support/run/amount';
import { ROOT, run } from '../support/service/child';

/**
 * The pipeline under thousands of seeded sequences of faults. A failure names its seed and tells
 * the end of its story; the whole story again: `npm run -s simulate -- story 123`.
 */

/** The environment names fewer where a few are enough. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 10_000);
/**
 * These take longer, because SQLite is real; `npm run -s simulate:storage -- seeds 1 10000` runs
 * more.
 */
const STORAGE_SEEDS = SEEDS / 5;
/** Programs side by side: for few seeds, starting another costs more than it brings. */
const PROGRAMS = amount(1, 2);
/**
 * How long a program may take, milliseconds; a busy machine is many times slower than a quiet one.
 */
const DEADLINE_MS = 500_000;

const simulate = (program: string, ...args: readonly (string | number)[]): Promise<string> =>
  run(
    {
      name: 'simulation',
      command: process.execPath,
      args: [
        '--require',
        join(ROOT, 'test/support/run/register.js'),
        join(__dirname, program),
        ...args.map(String),
      ],
    },
    DEADLINE_MS,
  );

async function expectAllRight(program: string, seeds: number): Promise<void> {
  const share = Math.ceil(seeds / PROGRAMS);
  const outputs = await Promise.all(
    Array.from({ length: PROGRAMS }, (_, index) =>
      simulate(program, 'seeds', 1 + index * share, share),
    ),
  );
  for (const output of outputs) expect(output).toContain(`${share} seeds`);
}

it(
  `keeps every promise with ${SEEDS} seeds, whatever fails`,
  () => expectAllRight('run.ts', SEEDS),
  DEADLINE_MS,
);

it(
  `keeps what is stored right with ${STORAGE_SEEDS} seeds, however the disk of the embedded process fails`,
  () => expectAllRight('storage/run.ts', STORAGE_SEEDS),
  DEADLINE_MS,
);

it.each(['run.ts', 'storage/run.ts'])(
  'tells the same story of the same seed (%s)',
  async (program) => {
    const [first, second] = await Promise.all([
      simulate(program, 'story', 7),
      simulate(program, 'story', 7),
    ]);
    expect(first).toContain('seed 7: all is right');
    expect(first).toBe(second);
  },
);
