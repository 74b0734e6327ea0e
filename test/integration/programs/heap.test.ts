import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from '../../support/service/child';
import { temporaryFolder } from '../../support/run/cleanup';
import { startEmbedded, startServers } from '../../support/service/processes';

/**
 * How long V8 takes to turn to a quiet heap, milliseconds: 8 seconds, and some for a busy machine.
 */
const TURNED_TO_MS = 60_000;
/** What V8 prints when it looks whether a program is quiet enough for its heap to be made small. */
const LOOKED = 'Memory reducer';
/**
 * Has it printed; newer versions of Node have a flag of its own for it, which older ones do not
 * know.
 */
const TOLD =
  "for (const flag of ['--trace-gc-verbose', '--trace-memory-reducer']) require('node:v8').setFlagsFromString(flag);";
/** Fills the heap, drops it and is quiet. */
const WORK =
  'let kept = []; for (let time = 0; time < 60; time += 1) { const made = Array.from({ length: 50_000 }, () => ({ time })); if (time % 2) kept.push(made); } kept = null; setInterval(() => {}, 1000);';

it('keeps the heap of a program that is quiet, where V8 alone would make it small', async () => {
  const told = join(await temporaryFolder('heap'), 'told.js');
  await writeFile(told, TOLD);
  const env = { NODE_OPTIONS: `--require ${told}` };
  const { apis, workers } = await startServers({ env });
  const programs = [...apis, ...workers, await startEmbedded({ env })].map(({ child }) => child);
  const alone = new Child({
    name: 'left alone',
    command: process.execPath,
    args: ['-e', WORK],
    env,
  });
  await alone.line('looks at its heap', TURNED_TO_MS, (line) => line.includes(LOOKED) || undefined);
  for (const { name, running, output } of programs) {
    expect({ name, running }).toEqual({ name, running: true });
    expect(output).not.toContain(LOOKED);
  }
});
