import { join } from 'node:path';
import { Child, ROOT } from '../../support/service/child';

const END_MS = 60_000;
const NEVER = 'await new Promise(() => {});';
const SIGNALED =
  "await new Promise((done) => process.once('SIGTERM', () => setTimeout(done, 50)));";

/** A program whose start and stop tell that they have begun and ended, and do this in between. */
function program({ start = '', stop = '' }: { start?: string; stop?: string }): Child {
  const module = JSON.stringify(join(ROOT, 'dist/shared/program.js'));
  const told = (what: string, work: string) =>
    `setImmediate(() => process.stdout.write('${what}\\n')); ${work} process.stdout.write('${what} done\\n');`;
  const running = `{ logger: { info() {}, error() {} }, stop: async () => { ${told('stop', stop)} } }`;
  return new Child({
    name: 'program',
    command: process.execPath,
    args: [
      '-e',
      `setInterval(() => {}, 1000); require(${module}).runProgram(async () => { ${told('start', start)} return ${running}; });`,
    ],
  });
}

const says = (child: Child, words: string) =>
  child.line(`says "${words}"`, END_MS, (line) => line === words || undefined);

it('stops in order when it is asked to while it still starts', async () => {
  const child = program({ start: SIGNALED });
  await says(child, 'start');
  child.signal('SIGTERM');
  expect(await child.exited).toEqual({ code: 0, signal: null });
  expect(child.output.trim().split('\n')).toEqual(['start', 'start done', 'stop done']);
});

it.each([
  { when: 'starts', work: { start: NEVER }, words: 'start' },
  { when: 'stops', work: { stop: NEVER }, words: 'start done' },
])('ends at once when it is asked a second time while it $when', async ({ work, words }) => {
  const child = program(work);
  await says(child, words);
  child.signal('SIGTERM');
  child.signal('SIGINT');
  expect(await child.exited).toEqual({ code: 1, signal: null });
});

it('ends with exit code 1 when it cannot stop in order', async () => {
  const child = program({ stop: "throw new Error('no connection');" });
  await says(child, 'start done');
  child.signal('SIGTERM');
  expect(await child.exited).toEqual({ code: 1, signal: null });
});
