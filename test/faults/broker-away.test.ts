import { setTimeout as pause } from 'node:timers/promises';
import { openLibrary, type Library } from '../support/clients/books';
import { held } from '../support/run/held';
import { AWAY_MS, Outage, OUTAGE_TEST_MS } from '../support/faults/outage';
import { startRabbitmq, type PrivateRabbitmq } from '../support/servers/private/rabbitmq';
import { expectProblem } from '../support/clients/problems';
import { newSecret, startServers, type System } from '../support/service/processes';
import { exportedSecret, targetAt } from '../support/service/target';
import { waitUntil } from '../support/wait';

/** How soon it must be noticed that the broker is unavailable, milliseconds. */
const NOTICED_MS = 30_000;
/** Writes while it is unavailable, one after the other. */
const REFUSED = 100;

const faults: Record<
  string,
  { begin(rabbitmq: PrivateRabbitmq): unknown; end(rabbitmq: PrivateRabbitmq): unknown }
> = {
  'is stopped in order': {
    begin: (rabbitmq) => rabbitmq.child().stop(),
    end: (rabbitmq) => rabbitmq.start(),
  },
  hangs: {
    begin: (rabbitmq) => {
      rabbitmq.child().freeze();
    },
    end: (rabbitmq) => {
      rabbitmq.child().thaw();
    },
  },
};

describe.each(Object.entries(faults))('while the broker %s under load', (name, fault) => {
  let rabbitmq: PrivateRabbitmq;
  let system: System;
  let library: Library;

  beforeAll(async () => {
    rabbitmq = await startRabbitmq();
    system = await startServers({
      apis: 2,
      workers: 2,
      env: {
        RABBITMQ_URL: rabbitmq.url,
        RABBITMQ_MANAGEMENT_URL: rabbitmq.managementUrl,
        JWT_SECRET: exportedSecret(newSecret),
      },
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

  async function expectOnlyReads(bookInfoId: number): Promise<void> {
    for (const { url } of system.apis) {
      const api = await openLibrary(targetAt('servers', [url]));
      await waitUntil(
        'the outage is noticed',
        NOTICED_MS,
        async () => (await api.call('get', '/readyz')).status === 503,
      );
    }
    for (let refused = 0; refused < REFUSED; refused += 1) {
      const response = await addCopy(bookInfoId);
      expectProblem(response, 503, 'UNAVAILABLE');
      expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    expect((await library.detail(bookInfoId)).totalStock).toBe(0);
  }

  it(
    'reads continue, writes are refused at once, and everything recovers without help afterwards',
    async () => {
      const { bookInfoId } = await library.registered();
      const outage = await Outage.begin(system);
      await fault.begin(rabbitmq);
      const over = pause(AWAY_MS);
      await expectOnlyReads(bookInfoId);
      await over;
      await fault.end(rabbitmq);
      await outage.moreCalls('after it was back');
      await outage.expectNoHarm();
      expect((await library.detail(bookInfoId)).totalStock).toBe(0);
      await held(
        6,
        system.env,
        `${name} for ${AWAY_MS / 1000} s under load`,
        `${REFUSED} of ${REFUSED} writes refused at once, reads served, no dead letter, no command lost or doubled`,
      );
    },
    OUTAGE_TEST_MS,
  );
});
