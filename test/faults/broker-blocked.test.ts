import { openLibrary, type Library } from '../support/clients/books';
import { held } from '../support/run/held';
import { startRabbitmq, type PrivateRabbitmq } from '../support/servers/private/rabbitmq';
import { expectProblem } from '../support/clients/problems';
import { newSecret, startServers, type System } from '../support/service/processes';
import { exportedSecret, targetAt } from '../support/service/target';
import { waitUntil } from '../support/wait';

/** How long alarms and connections may take to be noticed, milliseconds. */
const NOTICED_MS = 30_000;
/** Writes while the alarm lasts. Each would wait for seconds if it were not refused at once. */
const REFUSED = 200;
const REFUSED_MS = 60_000;

describe('a broker that runs out of memory and blocks its publishers', () => {
  let rabbitmq: PrivateRabbitmq;
  let system: System;
  let library: Library;

  beforeAll(async () => {
    rabbitmq = await startRabbitmq();
    system = await startServers({
      apis: 1,
      workers: 1,
      env: { RABBITMQ_URL: rabbitmq.url, JWT_SECRET: exportedSecret(newSecret) },
    });
    library = await openLibrary(
      targetAt(
        'servers',
        system.apis.map(({ url }) => url),
      ),
    );
  }, 180_000);

  const addCopy = (bookInfoId: number) =>
    library.manage(
      'post',
      `/api/book-infos/${bookInfoId}/books`,
      { count: 1 },
      { Prefer: 'respond-async' },
    );
  const readiness = async () => (await library.call('get', '/readyz')).status;

  it('makes writes fail at once and /readyz say so, while reads continue, and loses nothing', async () => {
    const { bookInfoId } = await library.registered();
    await rabbitmq.control('set_vm_memory_high_watermark', '0');
    // The broker tells of its alarm when something is published: that command waits in the
    // connection, and may be carried out.
    const first = await addCopy(bookInfoId);
    expect([first.status, first.body.code]).toEqual([503, 'ACCEPTANCE_UNKNOWN']);
    await waitUntil('the alarm is noticed', NOTICED_MS, async () => (await readiness()) === 503);

    const begun = Date.now();
    for (let refused = 0; refused < REFUSED; refused += 1) {
      const response = await addCopy(bookInfoId);
      expectProblem(response, 503, 'UNAVAILABLE');
      expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    // One after the other, each waiting for a confirm in vain, they would take a quarter of an
    // hour.
    expect(Date.now() - begun).toBeLessThan(REFUSED_MS);
    expect((await library.detail(bookInfoId)).totalStock).toBe(0);

    await rabbitmq.control('set_vm_memory_high_watermark', '0.4');
    await waitUntil(
      'the end of the alarm is noticed',
      NOTICED_MS,
      async () => (await readiness()) === 200,
    );
    expect(
      (await library.manage('post', `/api/book-infos/${bookInfoId}/books`, { count: 1 })).status,
    ).toBe(201);
    // The one whose acceptance was unknown has had its effect, and no other one.
    expect((await library.detail(bookInfoId)).totalStock).toBe(2);
    expect(
      (
        await library.call('get', `/api/commands/${first.body.commandId as string}`, {
          token: library.target.admin,
        })
      ).body,
    ).toMatchObject({ status: 'succeeded' });
    await held(
      20,
      system.env,
      'its memory alarm once',
      `${REFUSED} of ${REFUSED} writes refused at once, reads served, the command of unknown acceptance carried out once`,
    );
  }, 240_000);
});
