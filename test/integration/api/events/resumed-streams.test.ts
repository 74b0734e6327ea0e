import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Sequelize } from 'sequelize-typescript';
import { EventStreams } from '../../../../api/events/streams';
import { Outbox } from '../../../../shared/database/tables';
import type { EventListener } from '../../../../shared/messaging/transport';
import { eventMessage } from '../../../../shared/messaging/event';
import { idTime } from '../../../../shared/command';
import { outboxRelay } from '../../../../workers/jobs/outbox-relay';
import { onCleanUp } from '../../../support/run/cleanup';
import { openStream, type OpenStream } from '../../../support/clients/event-stream';
import { waitUntil } from '../../../support/wait';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

/** What a stream of events that is resumed takes from the outbox, whatever comes live meanwhile. */

const EVENTS_MS = 20_000;
const HOUR_MS = 3600 * 1000;

describe.each(DIALECTS)('a stream that is resumed on %s', (dialect) => {
  let database: Sequelize;
  let clock: number;
  let listeners: Set<EventListener>;
  let url: string;
  let made = 0;
  beforeEach(async () => {
    database = await emptyDatabase(dialect);
    [clock, listeners] = [Date.parse('2026-01-02T12:00:00Z'), new Set()];
    const source = {
      subscribe: (listener: EventListener) => {
        listeners.add(listener);
        return Promise.resolve(() => listeners.delete(listener) as unknown as undefined);
      },
    };
    const streams = new EventStreams(source, () => new Date(clock));
    const app = express().get('/', (request, response, next) => {
      streams
        .serve(
          {
            actor: { userId: null, username: null, role: 'user', isAdmin: true },
            token: null,
            address: '127.0.0.1',
          },
          response,
          { fits: () => true, after: request.headers['last-event-id'] as string | undefined },
        )
        .catch(next);
    });
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onCleanUp(
      () =>
        new Promise((resolve) => {
          server.close(resolve);
          server.closeAllConnections();
        }),
    );
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });

  /** So many events in one row of the outbox, not published yet; returns their ids. */
  async function write(count = 1): Promise<string[]> {
    const commandId = `${idTime(clock)}${String((made += 1)).padStart(28, '0')}`;
    const events = Array.from({ length: count }, (_, index) => ({
      eventId: `${commandId}.${index + 1}`,
      type: 'posts.post.created',
      occurredAt: new Date(clock).toISOString(),
      aggregateId: 'post:1',
      commandId,
      data: {},
    }));
    await Outbox.create({
      events: events.map((event) => JSON.stringify(event)).join('\n'),
      occurredAt: new Date(clock),
    });
    return events.map(({ eventId }) => eventId);
  }
  const publishEvents = async (events: Parameters<EventListener['take']>[0][]) => {
    for (const event of events) for (const listener of listeners) listener.take(event);
    await Promise.resolve();
  };
  /** Publishes all that is pending, as a relay does that has not marked it yet. */
  const publishPending = async () => {
    const rows = await Outbox.findAll({ where: { relayedAt: null }, order: ['seq'] });
    await publishEvents(rows.flatMap(({ events }) => events.split('\n').map(eventMessage)));
  };
  /** Publishes all that is pending, and marks it, a millisecond later each time. */
  const relay = async (link = { publishEvents }) => {
    const job = outboxRelay(database, link, () => new Date((clock += 1)));
    while (await job.run());
  };
  const resume = (after: string): Promise<OpenStream> =>
    openStream(url, undefined, { 'Last-Event-ID': after });
  const idsOf = (stream: OpenStream) => stream.events().map(({ id }) => id);
  const expectIds = async (stream: OpenStream, ids: readonly (string | undefined)[]) => {
    await waitUntil(`${ids.length} events`, EVENTS_MS, () => stream.events().length >= ids.length);
    expect(idsOf(stream)).toEqual(ids);
  };

  it('has all that came after its last event, from the middle of a row on', async () => {
    const [, middle, last] = await write(3);
    const rest: string[] = [];
    for (let row = 0; row < 50; row += 1) rest.push(...(await write(2)));
    await relay();
    await expectIds(await resume(middle as string), [last, ...rest]);
  });

  it('has what is pending once it is published, and only once', async () => {
    const [seen] = await write();
    await relay();
    const [pending] = await write();
    const stream = await resume(seen as string);
    await relay();
    const [later] = await write();
    await relay();
    await expectIds(stream, [pending, later]);
  });

  it('has what was published right before it began and is not marked yet', async () => {
    const [seen] = await write();
    await relay();
    const published = await write();
    await publishPending();
    const stream = await resume(seen as string);
    await relay({ publishEvents: () => Promise.resolve() });
    await expectIds(stream, published);
  });

  it('does not have again what was published before its last event, in the middle of what comes later', async () => {
    const [, seen] = await write(2);
    await publishPending();
    const stream = await resume(seen as string);
    const [later] = await write();
    await relay();
    const [last] = await write();
    await relay();
    await expectIds(stream, [later, last]);
  });

  // In SQLite transactions take turns, so that numbers are in their order.
  if (dialect === 'mysql') {
    it('follows the order of publication, not that of the numbers', async () => {
      const transaction = await database.transaction();
      const commandId = `${idTime(clock)}${'f'.repeat(28)}`;
      const late = {
        eventId: `${commandId}.1`,
        type: 'posts.post.created',
        aggregateId: 'post:2',
        commandId,
      };
      await Outbox.create(
        { events: JSON.stringify(late), occurredAt: new Date(clock) },
        { transaction },
      );
      const [seen] = await write();
      await relay();
      await transaction.commit();
      await relay();
      await expectIds(await resume(seen as string), [late.eventId]);
    });
  }

  it('gets a gap event when its last event is more than an hour old', async () => {
    const [old] = await write();
    await relay();
    clock += HOUR_MS / 2;
    const [recent] = await write();
    await relay();
    await expectIds(await resume(old as string), [recent]);
    clock += 0.6 * HOUR_MS;
    const stream = await resume(old as string);
    await expectIds(stream, [undefined]);
    expect(stream.events()[0]).toEqual({
      id: undefined,
      event: 'gap',
      data: JSON.stringify({ lastEventId: old }),
    });
    const [next] = await write();
    await relay();
    await expectIds(stream, [undefined, next]);
  });
});
