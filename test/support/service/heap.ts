import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../run/cleanup';
import { waitUntil } from '../wait';
import { ROOT } from './child';

/** What a program keeps in memory, read once it has collected its garbage. */
export interface Heap {
  /** Bytes in V8's heap. */
  readonly heapUsed: number;
  /** Bytes that objects of the heap hold outside of it. */
  readonly external: number;
  /** Timers, sockets and the like. */
  readonly resources: number;
}

const COLLECT_MS = 30_000;
const HOOK = join(ROOT, 'test/support/service/heap-hook.js');

/** The environment of programs whose heaps are read. */
export async function heapsEnv(): Promise<{ TEST_HEAPS: string; NODE_OPTIONS: string }> {
  return { TEST_HEAPS: await temporaryFolder('heaps'), NODE_OPTIONS: `--require ${HOOK}` };
}

/** Reads the heap of a program that was started with `heapsEnv()`. */
export async function heapOf(name: string, pid: number, folder: string): Promise<Heap> {
  const file = join(folder, `${pid}.json`);
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  return waitUntil(`${name} has collected its garbage`, COLLECT_MS, () => written(file));
}

function written(file: string): Heap | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Heap;
  } catch {
    return undefined;
  }
}
