import { join } from 'node:path';
import { Child, ROOT } from '../support/service/child';

/** Programs in TypeScript that take part in a bench. */

const START_MS = 60_000;

export interface Program {
  readonly child: Child;
  /** Where it listens, or `none`. */
  readonly url: string;
}

export async function startTypeScript(
  name: string,
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<Program> {
  // The heap is kept while they are quiet, as that of our programs is.
  const args = [
    '--require',
    join(ROOT, 'dist/shared/heap.js'),
    '--require',
    join(ROOT, 'test/support/run/register.js'),
    join(ROOT, 'test/bench', file),
  ];
  const child = new Child({
    name,
    command: process.execPath,
    args,
    env: { NODE_ENV: 'production', ...env },
  });
  const url = await child.line('listens', START_MS, (line) => /"url":"([^"]+)"/.exec(line)?.[1]);
  return { child, url };
}

/** A worker that is killed and started again. */
export interface Restartable {
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a worker, which can be started again. */
export async function restartable(start: () => Promise<Child>): Promise<Restartable> {
  let child = await start();
  return {
    kill: async () => {
      await child.kill();
    },
    start: async () => {
      child = await start();
    },
  };
}
