import { setTimeout as pause } from 'node:timers/promises';
import { Deliveries } from '../support/check/deliveries';
import { AWAY_MS, LONG } from '../support/faults/outage';
import { held } from '../support/run/held';
import { startRabbitmq } from '../support/servers/private/rabbitmq';
import { waitUntil } from '../support/wait';

/** Deliveries of events and notices reach who is away, once they are back, and in their order. */

const RECEIVER_AWAY_MS = LONG ? 600_000 : 20_000;
const KILLS = 3;
const WAIT_MS = 120_000;
const TEST_MS = RECEIVER_AWAY_MS + 2_400_000;
const NOTHING_WRONG = { outOfOrder: [], unsent: [] };

it(
  'a receiver and a mail server that are unavailable for a while get everything afterwards',
  async () => {
    const deliveries = await Deliveries.begin();
    const { receiver, mail, system } = deliveries;
    await deliveries.lend();
    receiver.answer = () => 503;
    await deliveries.lend();
    await Promise.all([receiver.stop(), mail.stop()]);
    await deliveries.lendFor(RECEIVER_AWAY_MS);
    receiver.answer = () => 204;
    await Promise.all([receiver.start(), mail.start()]);
    await deliveries.lend();
    // After ten minutes the next attempt is another twenty away.
    if (LONG) await deliveries.resume();
    const { events, mails, ...outcome } = await deliveries.outcome();
    expect(outcome).toMatchObject(NOTHING_WRONG);
    await held(
      31,
      system.env,
      `${RECEIVER_AWAY_MS / 1000} s`,
      `${events} events and ${mails} e-mails delivered, none lost, each aggregate in order`,
    );
  },
  TEST_MS,
);

it(
  'a broker that is killed keeps no event from a webhook, and no notice from its reader',
  async () => {
    const rabbitmq = await startRabbitmq();
    const deliveries = await Deliveries.begin({
      RABBITMQ_URL: rabbitmq.url,
      RABBITMQ_MANAGEMENT_URL: rabbitmq.managementUrl,
    });
    await deliveries.lend();
    const lending = deliveries.lendFor(AWAY_MS);
    await pause(AWAY_MS / 5);
    await rabbitmq.kill();
    await lending;
    await rabbitmq.start();
    await waitUntil('it lends again', WAIT_MS, async () => {
      const before = deliveries.receiver.accepted.length;
      await deliveries.lend();
      return deliveries.receiver.accepted.length > before;
    });
    const { events, mails, ...outcome } = await deliveries.outcome();
    expect(outcome).toMatchObject(NOTHING_WRONG);
    await held(
      32,
      deliveries.system.env,
      `once for ${AWAY_MS / 1000} s`,
      `${events} events and ${mails} e-mails delivered, none lost, each aggregate in order`,
    );
  },
  TEST_MS,
);

it(
  'kill -9 of the worker that sends e-mails, before it marks one, sends that one again',
  async () => {
    const deliveries = await Deliveries.begin();
    const { mail, system } = deliveries;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      let killed: Promise<unknown> | undefined;
      mail.onTaken = () => (killed ??= system.workers.at(-1)?.kill());
      const lending = deliveries.lend();
      await waitUntil('the worker is killed', WAIT_MS, () => killed !== undefined);
      await killed;
      await system.addWorker();
      await lending;
    }
    mail.onTaken = () => undefined;
    const { events, mails, again, ...outcome } = await deliveries.outcome();
    expect(outcome).toMatchObject(NOTHING_WRONG);
    expect(again.mails).toBeGreaterThanOrEqual(KILLS);
    await held(
      30,
      system.env,
      `${KILLS} times while e-mails are sent`,
      `${events} events and ${mails} e-mails delivered, none lost, each aggregate in order`,
    );
  },
  TEST_MS,
);
