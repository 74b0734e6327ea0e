import { randomUUID } from 'node:crypto';
import { openLibrary } from '../support/clients/books';
import { held } from '../support/run/held';
import { newSecret, startServers } from '../support/service/processes';
import { exportedSecret, targetAt } from '../support/service/target';
import { audit } from '../support/check/storm-check';

const KEYS = 30;
/** Requests of one key that are sent at the same time, one after the other to each of two APIs. */
const SAME = 6;

it('one key sent to several APIs at once, for the same and for another request, has one effect', async () => {
  const system = await startServers({
    apis: 2,
    workers: 2,
    env: { JWT_SECRET: exportedSecret(newSecret) },
  });
  const library = await openLibrary(
    targetAt(
      'servers',
      system.apis.map(({ url }) => url),
    ),
  );
  const { bookInfoId } = await library.registered();
  const add = async (count: number, key: string) =>
    library.manage(
      'post',
      `/api/book-infos/${bookInfoId}/books`,
      { count },
      { 'Idempotency-Key': key, Prefer: 'wait=30' },
    );
  let stock = 0;
  for (let round = 0; round < KEYS; round += 1) {
    const key = randomUUID();
    const answers = await Promise.all([
      ...Array.from({ length: SAME }, () => add(1, key)),
      ...Array.from({ length: SAME }, () => add(2, key)),
    ]);
    const won = answers.filter(({ status }) => status === 201);
    const lost = answers.filter(({ status }) => status !== 201);
    expect(new Set(won.map(({ text }) => text)).size).toBe(1);
    expect([
      won.length,
      lost.map(({ status, body }) => `${status} ${body.code as string}`),
    ]).toEqual([SAME, lost.map(() => '422 IDEMPOTENCY_KEY_REUSED')]);
    stock += won[0]?.body.addedCount as number;
  }
  expect((await library.detail(bookInfoId)).totalStock).toBe(stock);
  await audit(system.env);
  await held(
    14,
    system.env,
    `${KEYS} keys, ${2 * SAME} requests of two kinds at once at two APIs`,
    'one request of each key won, with one effect and one answer; the other kind got 422',
  );
}, 120_000);
