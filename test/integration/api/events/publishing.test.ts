import { openLibrary } from '../../../support/clients/books';
import { openEventQueue } from '../../../support/clients/event-queue';
import { expectEvent, expectNoGap, toldBy, tour } from '../../../support/clients/event-tour';
import { amount } from '../../../support/run/amount';
import { newSecret, startServers } from '../../../support/service/processes';
import { exportedSecret, targetAt } from '../../../support/service/target';
import { waitUntil } from '../../../support/wait';

const EVENTS_MS = 30_000;

it('every change of every service is published once and in order, with the properties and the body that docs/events.md promises', async () => {
  const system = await startServers({
    apis: 1,
    workers: amount(1, 2),
    env: { JWT_SECRET: exportedSecret(newSecret) },
  });
  const target = targetAt(
    'servers',
    system.apis.map(({ url }) => url),
  );
  const queue = await openEventQueue(system.env.RABBITMQ_URL ?? '');
  const told = await tour(target);
  // The last change: what was told before it has been published before it.
  const { bookInfoId } = await (await openLibrary(target)).registered();
  await waitUntil('the last event', EVENTS_MS, () =>
    queue.all.some(({ aggregateId }) => aggregateId === `book-info:${bookInfoId}`),
  );
  const events = queue.all.map(({ body }) => expectEvent(body));
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
  expect(toldBy(events, told.keys())).toEqual(told);
  expectNoGap(events);
  for (const { body, routingKey, properties } of queue.all) {
    const { eventId, type } = expectEvent(body);
    expect([routingKey, properties]).toMatchObject([
      type,
      { messageId: eventId, contentType: 'application/cloudevents+json', deliveryMode: 2 },
    ]);
  }
});
