import { setTimeout as pause } from 'node:timers/promises';
import { startAttack, type Hostile } from '../support/clients/attack';
import { Borrowers, BORROWERS } from '../support/clients/borrowers';
import { held } from '../support/run/held';
import { audit, disagreements } from '../support/check/storm-check';
import { newSecret } from '../support/service/processes';
import { HEAP_MB, SMALL_HEAPS } from '../support/service/small-heap';

/**
 * Anonymous clients send bodies that are made to cost much, and read nothing, while others borrow.
 */

const ATTACKED_MS = 15_000;
const ATTACKERS = 10;
/**
 * Five times what is promised for a machine that does nothing else, milliseconds: the attackers and
 * other tests run beside.
 */
const WITHIN_MS = 5000;

const list = (item: string, length: number): string =>
  `[${Array.from({ length }, () => item).join(',')}]`;
const post = (tags: string): string => `{"title":"t","content":"c","userId":1,"tags":${tags}}`;
/** Bodies for anonymous callers, with where they go. */
const ATTACKED: readonly Hostile[] = [
  { path: '/posts', body: post(list('","', 100_000)) },
  { path: '/posts', body: post(list('""', 340_000)) },
  { path: '/posts', body: post(list('"a"', 260_000)) },
  {
    path: '/posts',
    body: `{${Array.from({ length: 90_000 }, (_, index) => `"k${index}":0`).join(',')}}`,
  },
  { path: '/posts', body: `{"tags":${'['.repeat(500_000)}` },
  { path: '/api/auth/signup', body: `{"username":"${'ﷺ'.repeat(340_000)}"}` },
];

it.each(SMALL_HEAPS)(
  'a process with a small heap survives them and answers the borrowers (%s)',
  async (_way, start) => {
    const secret = newSecret();
    const { url, api, env } = await start(secret);
    const borrowers = await Borrowers.atWork(url, secret);
    const attack = startAttack(url, ATTACKED, ATTACKERS);
    await pause(ATTACKED_MS);
    const { sent } = attack;
    attack.stop();
    const borrowersMs = await borrowers.endInTime(WITHIN_MS);
    expect(sent).toBeGreaterThan(ATTACKERS);
    expect(api.running).toBe(true);
    expect(await disagreements(borrowers.prepared, url)).toEqual([]);
    await audit(env, borrowers.prepared);
    await held(
      27,
      env,
      `${ATTACKERS} connections that read nothing, for ${ATTACKED_MS / 1000} s, a heap of ${HEAP_MB} MiB`,
      `the process lived through ${sent} such bodies, and 99 % of the calls of ${BORROWERS} borrowers took at most ${borrowersMs} ms`,
    );
  },
  300_000,
);
