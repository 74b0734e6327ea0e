import { Child } from '../support/service/child';
import { follow } from '../support/run/logs';

/** How long a line may take, milliseconds. */
const LINE_MS = 10_000;
const PROGRAM = `process.stdin.resume(); console.log('before'); process.on('SIGUSR2', () => console.log('meanwhile'));`;

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
