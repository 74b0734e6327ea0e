import { execFile } from 'node:child_process';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onCleanUp, temporaryFolder } from '../run/cleanup';

/**
 * A disk that a test can fill. Mounting one takes root, as installing servers for the tests does.
 */

const execute = promisify(execFile);

export interface SmallDisk {
  readonly folder: string;
  /** Takes all the space that is left, with `leaving` bytes to spare. */
  fill(leaving?: number): Promise<void>;
  /** Gives back what `fill` took. */
  free(): Promise<void>;
}

export async function smallDisk(megabytes: number): Promise<SmallDisk> {
  const folder = await temporaryFolder('disk');
  await execute('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  // Lazily: what a killed process had open may be closed a moment later.
  onCleanUp(() => execute('umount', ['--lazy', folder]));
  const filler = join(folder, 'filler');
  return {
    folder,
    async fill(leaving = 0) {
      const { bavail, bsize } = await statfs(folder);
      await writeFile(filler, Buffer.alloc(Math.max(0, bavail * bsize - leaving))).catch(
        (error: unknown) => {
          // Somebody else took the last of it meanwhile.
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        },
      );
    },
    free: () => rm(filler, { force: true }),
  };
}
