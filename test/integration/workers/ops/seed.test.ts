import { join } from 'node:path';
import { Child, ROOT } from '../../../support/service/child';
import {
  INSTALLATIONS,
  startService,
  type Installation,
} from '../../../support/service/start-service';
import { amount, sampleOf } from '../../../support/run/amount';
import { OpsShell } from '../../../support/service/ops-shell';
import { onDatabase } from '../../../support/servers/rows';
import { waitUntil } from '../../../support/wait';

/**
 * A made-up library that is made as an operator makes it, and broken off by the end of the program.
 */

/** Several transactions, so that a kill finds some left. */
const ALL = {
  users: amount(1000, 3000),
  titles: amount(3000, 6000),
  borrows: amount(10_000, 30_000),
};
const sizeOf = (counts: typeof ALL) =>
  Object.entries(counts).flatMap(([name, count]) => [`--${name}`, String(count)]);
const KILLS = amount(1, 3);
const WAIT_MS = 120_000;

describe.each(sampleOf(INSTALLATIONS, 'embedded'))('a seed (%s)', (name) => {
  let env: Installation['env'];
  let shell: OpsShell;
  beforeAll(async () => {
    ({ env } = await startService({ on: name }));
    shell = new OpsShell(env);
  });

  it('goes on where it was broken off, and makes nothing twice', async () => {
    const rows = () =>
      onDatabase(env, async (select) => {
        const [row] = await select(
          "SELECT (SELECT COUNT(*) FROM `user` WHERE username LIKE 'reader-%') AS users, (SELECT COUNT(*) FROM book_info) AS titles, (SELECT COUNT(*) FROM book_user) AS borrows",
        );
        return {
          users: Number(row?.['users']),
          titles: Number(row?.['titles']),
          borrows: Number(row?.['borrows']),
        };
      });
    const stored = async () => Object.values(await rows()).reduce((sum, count) => sum + count, 0);
    for (let kills = 0, before = 0; kills < KILLS; kills += 1) {
      const child = new Child({
        name: 'seed',
        command: process.execPath,
        args: [join(ROOT, 'dist/workers/ops/main.js'), 'seed', ...sizeOf(ALL)],
        env,
      });
      const reached = before;
      before = await waitUntil('some more rows are stored', WAIT_MS, async () => {
        const count = await stored();
        return count > reached ? count : undefined;
      });
      expect((await child.kill()).signal).toBe('SIGKILL');
    }
    expect(await stored()).toBeLessThan(ALL.users + ALL.titles + ALL.borrows);
    const again = await shell.run('seed', ...sizeOf(ALL), '--json');
    expect([again.code, again.output, again.json]).toEqual([0, again.output, ALL]);
    expect(await rows()).toEqual(ALL);
    const { code, output } = await shell.run('audit');
    expect([code, output]).toEqual([0, output]);
  }, 240_000);

  it('refuses other numbers than those it was begun with', async () => {
    const other = await shell.run('seed', ...sizeOf({ ...ALL, titles: ALL.titles + 1 }));
    expect([other.code, other.output]).toEqual([
      1,
      expect.stringContaining('Continue with the same numbers'),
    ]);
  });
});
