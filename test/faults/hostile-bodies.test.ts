import { setTimeout as pause } from 'node:timers/promises';
import { startAttack } from '../support/clients/attack';
import { held } from '../support/run/held';
import { audit, disagreements, prepareStorm } from '../support/check/storm-check';
import { newSecret } from '../support/service/processes';
import { HEAP_MB, SMALL_HEAPS } from '../support/service/small-heap';
import { waitUntil } from '../support/wait';

/**
 * Anonymous clients send bodies that are made to cost much, and read nothing, while others borrow.
 */

const ATTACKED_MS = 15_000;
const ATTACKERS = 10;
const BORROWERS = 64;
const LONG_MS = 120_000;

const list = (item: string, length: number): string =>
  `[${Array.from({ length }, () => item).join(',')}]`;
const post = (tags: string): string => `{"title":"t","content":"c","userId":1,"tags":${tags}}`;
const BODIES = [
  post(list('","', 100_000)),
  post(list('""', 340_000)),
  post(list('"a"', 260_000)),
  `{${Array.from({ length: 90_000 }, (_, index) => `"k${index}":0`).join(',')}}`,
  `{"tags":${'['.repeat(500_000)}`,
];

it.each(SMALL_HEAPS)(
  'a process with a small heap lives through them and answers the borrowers (%s)',
  async (_way, start) => {
    const secret = newSecret();
    const { url, api, env } = await start(secret);
    const prepared = await prepareStorm(url, secret, () => [url], { clients: BORROWERS });
    const { storm } = prepared;
    storm.start();
    const attack = startAttack(url, '/posts', BODIES, ATTACKERS);
    await pause(ATTACKED_MS);
    const answered = storm.answered;
    await waitUntil(
      'borrowers are answered under attack',
      LONG_MS,
      () => storm.answered > answered + BORROWERS,
    );
    const { sent } = attack;
    attack.stop();
    await storm.stop();
    expect(sent).toBeGreaterThan(ATTACKERS);
    expect(api.running).toBe(true);
    expect(await disagreements(prepared, url)).toEqual([]);
    await audit(env, prepared);
    await held(
      27,
      env,
      `${ATTACKERS} connections that read nothing, for ${ATTACKED_MS / 1000} s, a heap of ${HEAP_MB} MiB`,
      `the process lived through ${sent} such bodies, and ${BORROWERS} borrowers were answered meanwhile`,
    );
  },
  300_000,
);
