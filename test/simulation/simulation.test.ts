import { join } from 'node:path';
import { ROOT, run } from '../support/child';

/**
 * The pipeline under thousands of seeded sequences of faults. A failure names its seed and tells the end of its story; the
 * whole story again: `npm run -s simulate -- story 123`.
 */

/** The environment names fewer where a few are enough. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 10_000);
/** Programs side by side. */
const PROGRAMS = 2;
/** How long a program may take, milliseconds; a busy machine is many times slower than a quiet one. */
const DEADLINE_MS = 500_000;

const simulate = (...args: readonly (string | number)[]): Promise<string> =>
  run({ name: 'simulation', command: process.execPath, args: ['--require', join(ROOT, 'test/support/register.js'), join(__dirname, 'run.ts'), ...args.map(String)] }, DEADLINE_MS);

it(
  `keeps every promise with ${SEEDS} seeds, whatever fails`,
  async () => {
    const share = Math.ceil(SEEDS / PROGRAMS);
    const outputs = await Promise.all(Array.from({ length: PROGRAMS }, (_, index) => simulate('seeds', 1 + index * share, share)));
    for (const output of outputs) expect(output).toContain(`${share} seeds`);
  },
  DEADLINE_MS,
);

it('tells the same story of the same seed', async () => {
  const [first, second] = await Promise.all([simulate('story', 7), simulate('story', 7)]);
  expect(first).toContain('seed 7: all is right');
  expect(first).toBe(second);
});
