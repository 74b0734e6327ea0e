import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { showingElapsed } from '../../../workers/ops/elapsed';

/** Runs work of a length, and returns what a terminal, or a pipe, is given meanwhile. */
async function shown(lengthMs: number, isTTY: boolean): Promise<string> {
  const stream = Object.assign(new PassThrough(), { isTTY });
  await showingElapsed('audit', () => pause(lengthMs), stream);
  return String(stream.read() ?? '');
}

it('shows on a terminal that work of more than 2 s is under way', async () => {
  expect(await shown(2600, true)).toContain('audit has been running for ');
});

it.each([
  ['short work', 50, true],
  ['a pipe', 2600, false],
])('prints nothing to %s', async (_to, lengthMs, isTTY) => {
  expect(await shown(lengthMs, isTTY)).toBe('');
});

it('lets an error through', async () => {
  const stream = new PassThrough();
  const work = () => Promise.reject(new Error('no database'));
  await expect(showingElapsed('audit', work, stream)).rejects.toThrow('no database');
});
