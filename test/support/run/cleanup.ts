import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whenThisProcessIsGone } from './watchdog';

/**
 * What was started and must be stopped: per test file in Jest's workers (`setup/after-file.ts`),
 * per run in the process that runs the global setup.
 */
const undone: (() => Promise<unknown>)[] = [];

export function onCleanUp(undo: () => Promise<unknown>): void {
  undone.push(undo);
}

/** Undoes everything, last first. One failure keeps nothing else from being undone. */
export async function cleanUp(): Promise<void> {
  const failures: unknown[] = [];
  for (let undo = undone.pop(); undo; undo = undone.pop()) {
    await undo().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `Cleaning up failed: ${failures.map(String).join('; ')}`);
}

/** Returns a folder that is removed by `cleanUp`, or when this process is gone. */
export async function temporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `lendline-${name}-`));
  // A server that is being killed may still write, so one try can fail.
  const callOff = whenThisProcessIsGone(
    'for try in 1 2 3 4 5 6 7 8 9; do rm -rf -- "$1" && exit; sleep 0.2; done',
    folder,
  );
  onCleanUp(async () => {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    callOff();
  });
  return folder;
}
