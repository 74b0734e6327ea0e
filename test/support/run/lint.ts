import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { giveWay } from './processor-share';
import { whenThisProcessIsGone } from './watchdog';

/**
 * Runs the checks of types, code, texts and imports in what the tests leave of the processors, and
 * once those have ended beside whatever else runs. Resolves to 0, or to 1 when one of them has
 * failed.
 */
export async function lintBeside(tests: Promise<unknown>): Promise<0 | 1> {
  const child = spawn(process.execPath, [join(__dirname, '../../../lint.mjs')], {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'close') as Promise<[status: number | null]>;
  const { pid } = child;
  if (pid !== undefined) {
    const takePart = giveWay(pid);
    void Promise.race([tests, ended]).then(takePart, takePart);
  }
  const callOff = whenThisProcessIsGone('kill -- "-$1"', String(pid));
  const [status] = await ended;
  callOff();
  if (status === 0) return 0;
  process.stderr.write('npm run lint has failed.\n');
  return 1;
}
