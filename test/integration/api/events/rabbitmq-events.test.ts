import { connect, type ConfirmChannel } from 'amqplib';
import { pino } from 'pino';
import { RabbitmqSender } from '../../../../api/commands/rabbitmq-sender';
import { RabbitmqEvents } from '../../../../api/events/rabbitmq-events';
import type { EventMessage } from '../../../../shared/messaging/transport';
import { services } from '../../../../shared/services';
import { onCleanUp } from '../../../support/run/cleanup';
import { exportedServers, freshVirtualHost } from '../../../support/servers/fresh';
import { callManagement } from '../../../support/servers/management';
import { startProxy, type Proxy } from '../../../support/faults/proxy';
import { TEST_SIGNATURES } from '../../../support/service/signatures';
import { waitUntil } from '../../../support/wait';

/** The source of events of an API process, on a real broker behind a network that can be broken. */

const WAIT_MS = 30_000;
/** Most events that wait for one API process. */
const LENGTH_MAX = 10_000;

let proxy: Proxy;
let vhost: string;
let publisher: ConfirmChannel;
let sender: RabbitmqSender;
let events: RabbitmqEvents;
const logged: string[] = [];

beforeAll(async () => {
  const url = await freshVirtualHost();
  vhost = new URL(url).pathname.slice(1);
  proxy = await startProxy(url, 5672);
  const logger = pino({ level: 'warn' }, { write: (line: string) => logged.push(line) });
  sender = await RabbitmqSender.open({
    // A busy machine may stall the network for longer than the heartbeat that the API has.
    urls: [`${proxy.url}?heartbeat=60`],
    instance: 'test',
    services,
    readLayout: () => Promise.resolve({ generation: 1, partitions: 1 }),
    signatures: TEST_SIGNATURES,
    logger,
  });
  onCleanUp(() => sender.close());
  events = new RabbitmqEvents({
    openChannel: () => sender.openChannel(),
    instance: 'test',
    logger,
  });
  const connection = await connect(url, { noDelay: true });
  onCleanUp(() => connection.close());
  publisher = await connection.createConfirmChannel();
});

beforeEach(() => logged.splice(0));

class Listener {
  readonly taken: EventMessage[] = [];
  losses = 0;
  leave: () => void = () => undefined;

  take(event: EventMessage): void {
    this.taken.push(event);
  }

  lost(): void {
    this.losses += 1;
  }

  async listening(): Promise<this> {
    this.leave = await events.subscribe({
      take: (event) => {
        this.take(event);
      },
      lost: () => {
        this.lost();
      },
    });
    return this;
  }
}

const queues = async () => {
  const all = (await callManagement(
    exportedServers().rabbitmqManagementUrl,
    'GET',
    `/api/queues/${vhost}`,
  )) as { name: string }[];
  return all.map(({ name }) => name).filter((name) => name.startsWith('events.'));
};

let count = 0;
async function publish(content?: string): Promise<string> {
  const eventId = `id.${(count += 1)}`;
  publisher.publish(
    'domain-events',
    'a.b.c',
    Buffer.from(
      content ?? JSON.stringify({ specversion: '1.0', id: eventId, type: 'a.b.c', subject: 'a:1' }),
    ),
  );
  await publisher.waitForConfirms();
  return eventId;
}

const ids = ({ taken }: Listener) => taken.map(({ eventId }) => eventId);

describe('the source of events of an API process', () => {
  it('has a queue while somebody listens, and none before and after', async () => {
    expect(await queues()).toEqual([]);
    const [first, second] = await Promise.all([
      new Listener().listening(),
      new Listener().listening(),
    ]);
    await waitUntil('the queues', WAIT_MS, async () => (await queues()).length === 2);
    first.leave();
    const published = await publish();
    await waitUntil('the event', WAIT_MS, () => second.taken.length > 0);
    expect([ids(first), ids(second)]).toEqual([[], [published]]);
    second.leave();
    await waitUntil('no queue', WAIT_MS, async () => (await queues()).length === 0);
    const third = await new Listener().listening();
    const again = await publish();
    await waitUntil('the event', WAIT_MS, () => third.taken.length > 0);
    expect(ids(third)).toEqual([again]);
    third.leave();
    expect([first, second, third].map(({ losses }) => losses)).toEqual([0, 0, 0]);
  });

  it('ignores messages that are not events', async () => {
    const listener = await new Listener().listening();
    await publish('{"hello":1}');
    const published = await publish();
    await waitUntil('the event', WAIT_MS, () => listener.taken.length > 0);
    expect(ids(listener)).toEqual([published]);
    listener.leave();
  });

  it('tells its listeners when the connection is lost, refuses new ones until it is back, and serves those who come then', async () => {
    const listeners = await Promise.all([new Listener().listening(), new Listener().listening()]);
    proxy.cut();
    await waitUntil('the loss', WAIT_MS, () => listeners.every(({ losses }) => losses === 1));
    await expect(new Listener().listening()).rejects.toThrow();
    proxy.open();
    const later = await waitUntil('somebody listens', WAIT_MS, () => new Listener().listening());
    const published = await publish();
    await waitUntil('the event', WAIT_MS, () => later.taken.length > 0);
    expect([
      ids(later),
      later.losses,
      ...listeners.flatMap(({ taken, losses }) => [taken.length, losses]),
    ]).toEqual([[published], 0, 0, 1, 0, 1]);
    later.leave();
  });

  it('tells its listeners when more events wait for it than its queue holds', async () => {
    const listener = await new Listener().listening();
    proxy.stall();
    const filler = Buffer.from(
      JSON.stringify({
        specversion: '1.0',
        id: 'filler',
        type: 'a.b.c',
        subject: 'a:1',
        data: 'x'.repeat(2000),
      }),
    );
    // Twice its length, and what the network buffers.
    for (let sent = 0; sent < 3 * LENGTH_MAX; sent += 1)
      publisher.publish('domain-events', 'a.b.c', filler);
    await publisher.waitForConfirms();
    proxy.open();
    await waitUntil('the loss', WAIT_MS, () => listener.losses === 1);
    expect(listener.taken.length).toBeLessThan(3 * LENGTH_MAX);
    expect(logged.filter((line) => line.includes('broker lost'))).toEqual([]);
    const later = await new Listener().listening();
    const published = await publish();
    await waitUntil('the event', WAIT_MS, () => ids(later).includes(published));
    later.leave();
  });
});
