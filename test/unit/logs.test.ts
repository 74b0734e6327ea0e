import { Child } from '../support/service/child';
import { cleanUp } from '../support/run/cleanup';
import { follow, shareLogs } from '../support/run/logs';

/** How long a line may take, milliseconds. */
const LINE_MS = 10_000;
const PROGRAM = `process.stdin.resume(); process.on('SIGUSR2', () => console.log('meanwhile')); console.log('before');`;

it('a test that fails shows what its programs printed while it ran, and nothing from before', async () => {
  const child = new Child({
    name: 'echo',
    command: process.execPath,
    args: ['-e', `${PROGRAM} setInterval(() => {}, 1000);`],
  });
  follow(child);
  await child.line('prints', LINE_MS, (line) => line === 'before' || undefined);
  globalThis.programLogs?.begin();
  expect(globalThis.programLogs?.duringTest()).toBe('');
  const printed = child.nextLine('meanwhile', LINE_MS);
  child.signal('SIGUSR2');
  await printed;
  expect(globalThis.programLogs?.duringTest()).toBe('\n--- echo during this test\nmeanwhile\n');
});

it('a program that prints while everything is cleaned up has no file to write to, and needs none', async () => {
  const child = new Child({
    name: 'busy',
    command: 'yes',
  });
  await shareLogs('embedded', [child]);
  await child.nextLine('y', LINE_MS);
  await cleanUp();
  expect(child.running).toBe(false);
});
