import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Child, ROOT } from '../../support/service/child';

/** A program with a watchdog that barks after 20 turns of 50 ms. */
function program(work: string): Child {
  const start = `const { startWatchdog } = require(${JSON.stringify(join(ROOT, 'dist/workers/watchdog.js'))}); const watchdog = startWatchdog({ turnMs: 50, turnsMax: 20 });`;
  return new Child({
    name: 'program',
    command: process.execPath,
    args: ['-e', `${start} process.stdout.write('started\\n'); ${work}`],
  });
}

const END_MS = 60_000;

it('ends a process whose event loop stands still, and says so', async () => {
  const child = program('setTimeout(() => { for (;;); }, 100);');
  expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
  expect(child.output).toContain('The event loop has stood still for 1000 ms');
});

it('does not end a process that works, or that was paused and resumed', async () => {
  const child = program(
    'setInterval(() => { const until = Date.now() + 300; while (Date.now() < until); process.stdout.write("turn\\n"); }, 1);',
  );
  await child.line('works', END_MS, (line) => line === 'turn' || undefined);
  child.freeze();
  // Time must pass here, and no condition tells that it has. Three times as long as it would bear
  // with an event loop that stands still.
  await pause(3000);
  child.thaw();
  const turns = () => child.output.split('turn').length;
  const before = turns();
  await child.until('works on', END_MS, () => turns() > before + 8);
  expect(child.running).toBe(true);
});

it('lets a process exit, stopped or not', async () => {
  expect(await program('').exited).toEqual({ code: 0, signal: null });
  expect(await program('watchdog.stop();').exited).toEqual({ code: 0, signal: null });
});
