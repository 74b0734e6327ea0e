import { connect, type Channel, type ConsumeMessage } from 'amqplib';
import { pino } from 'pino';
import { RabbitmqSender } from '../../../../api/commands/rabbitmq-sender';
import { declareTopology } from '../../../../shared/messaging/declare';
import { bodiesOf, COMMANDS_MAX } from '../../../../shared/messaging/message';
import { partitionName } from '../../../../shared/messaging/topology';
import { AcceptanceUnknown, NotAccepted } from '../../../../shared/messaging/transport';
import { services } from '../../../../shared/services';
import { onCleanUp } from '../../../support/run/cleanup';
import { freshVirtualHost } from '../../../support/servers/fresh';
import { startProxy, type Proxy } from '../../../support/faults/proxy';
import { TEST_SIGNATURES } from '../../../support/service/signatures';
import { waitUntil } from '../../../support/wait';
import { borrow } from '../../../support/models/lending/commands';

const NAME = partitionName('lending', 0);
/** How long the broker may take to be back, milliseconds. */
const WAIT_MS = 30_000;
const LAYOUT = { generation: 1, partitions: 1 };

describe('a command that an API sends', () => {
  let proxy: Proxy;
  let channel: Channel;
  let sender: RabbitmqSender;

  beforeAll(async () => {
    const url = await freshVirtualHost();
    proxy = await startProxy(url, 5672);
    const connection = await connect(url);
    onCleanUp(() => connection.close());
    channel = await connection.createChannel();
    sender = await RabbitmqSender.open({
      urls: [proxy.url],
      instance: 'test',
      services,
      readLayout: () => Promise.resolve(LAYOUT),
      signatures: TEST_SIGNATURES,
      logger: pino({ level: 'silent' }),
    });
    onCleanUp(() => sender.close());
  });

  const stored = async () => (await channel.checkQueue(NAME)).messageCount;

  it('is stored when it is confirmed', async () => {
    await sender.send(borrow(1, 1));
    expect(await stored()).toBe(1);
  });

  it('shares a message with those for the same queue that are sent in the same moment, in their order', async () => {
    await channel.purgeQueue(NAME);
    const commands = Array.from({ length: COMMANDS_MAX + 2 }, (_, index) => borrow(index + 1, 1));
    await Promise.all(commands.map((command) => sender.send(command)));
    expect(await stored()).toBe(2);
    const messages: ConsumeMessage[] = [];
    await channel.consume(NAME, (message) => messages.push(message!), { noAck: true });
    await waitUntil('both are taken', WAIT_MS, () => messages.length === 2);
    expect(messages.map((message) => bodiesOf(message).length)).toEqual([COMMANDS_MAX, 2]);
    expect(messages.flatMap(bodiesOf).map((body) => services.decode(body.toString()))).toEqual(
      commands.map((envelope) => ({ envelope })),
    );
    expect(messages.map(({ properties }) => properties.messageId as string)).toEqual([
      commands[0]?.commandId,
      commands[COMMANDS_MAX]?.commandId,
    ]);
    await channel.deleteQueue(NAME);
    const results = await Promise.allSettled(
      [1, 2, 3].map((title) => sender.send(borrow(1, title))),
    );
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await declareTopology(channel, services.names, LAYOUT);
  });

  it('may be stored when it is not confirmed in time', async () => {
    const before = await stored();
    proxy.stall('to client');
    await expect(sender.send(borrow(1, 1))).rejects.toBeInstanceOf(AcceptanceUnknown);
    expect(await stored()).toBe(before + 1);
    proxy.open();
  });

  it('may be stored when the connection breaks before it is confirmed', async () => {
    proxy.stall();
    const sent = sender.send(borrow(1, 1));
    proxy.cut();
    await expect(sent).rejects.toBeInstanceOf(AcceptanceUnknown);
  });

  it('is refused while the broker is unavailable, and taken when it is back', async () => {
    await waitUntil('the broker is missed', WAIT_MS, () => !sender.ready());
    await expect(sender.send(borrow(1, 1))).rejects.toBeInstanceOf(NotAccepted);
    proxy.open();
    await waitUntil('the broker is reached', WAIT_MS, () => sender.ready());
    await expect(sender.send(borrow(1, 1))).resolves.toBeUndefined();
  });

  it('is refused when its queue is missing', async () => {
    await channel.deleteQueue(NAME);
    await expect(sender.send(borrow(1, 1))).rejects.toBeInstanceOf(NotAccepted);
    await declareTopology(channel, services.names, LAYOUT);
    await expect(sender.send(borrow(1, 1))).resolves.toBeUndefined();
  });
});
