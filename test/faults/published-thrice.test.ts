import amqp, { type ConfirmChannel, type Message, type MessageProperties } from 'amqplib';
import { partitionNames } from '../../shared/messaging/topology';
import { onCleanUp } from '../support/run/cleanup';
import { Clients } from '../support/clients/clients';
import { held } from '../support/run/held';
import { startServers, type System } from '../support/service/processes';
import { audit } from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

const COMMANDS = 40;
const COPIES = 25;
/** Partitions of a service when nobody says otherwise. */
const QUEUES = partitionNames(['lending'], { generation: 1, partitions: 16 });
/** How long a look into the queues may take, milliseconds. */
const LOOK_MS = 30_000;

async function openChannel(url: string): Promise<ConfirmChannel> {
  const connection = await amqp.connect(url);
  onCleanUp(() => connection.close());
  return connection.createConfirmChannel();
}

/** What a copy of a message says of itself, its signature included. */
const again = ({ messageId, contentType, headers }: MessageProperties) => ({
  messageId: String(messageId),
  contentType: String(contentType),
  headers: { signature: String(headers?.signature) },
});

/** Looks at the messages that wait in the queues, and leaves them there in their order. */
async function waitingMessages(url: string): Promise<Message[]> {
  const channel = await openChannel(url);
  const found: Message[] = [];
  for (const queue of QUEUES)
    await channel.consume(queue, (message) => message && found.push(message));
  await waitUntil('every command is seen', LOOK_MS, () => found.length >= COMMANDS);
  await channel.close();
  return found;
}

it('commands that were published three times, also by other connections, have one effect and one outcome each', async () => {
  const system: System = await startServers({ apis: 2, workers: 1 });
  const url = system.env.RABBITMQ_URL ?? '';
  const [here, there] = system.apis.map(
    (api) => new Clients(api.url, system.env.JWT_SECRET ?? ''),
  ) as [Clients, Clients];
  const title = await here.newTitle(COPIES);
  await system.workers[0]?.stop();
  const promised: string[] = [];
  for (let count = 0; count < COMMANDS; count += 1)
    promised.push(await (count % 2 === 0 ? here : there).borrow(title, 2 ** 42 + count));
  const first = await waitingMessages(url);
  for (const channel of [await openChannel(url), await openChannel(url)]) {
    for (const { content, fields, properties } of first)
      channel.sendToQueue(fields.routingKey, content, { ...again(properties), persistent: true });
    await channel.waitForConfirms();
  }
  const looking = await openChannel(url);
  const waiting = async () =>
    (await Promise.all(QUEUES.map((queue) => looking.checkQueue(queue)))).reduce(
      (sum, { messageCount }) => sum + messageCount,
      0,
    );
  await waitUntil(
    'every command waits three times',
    LOOK_MS,
    async () => (await waiting()) === 3 * COMMANDS,
  );

  const worker = await system.addWorker();
  const endings = await here.endings(promised);
  const succeeded = endings.filter((ending) => ending === 'succeeded').length;
  expect([succeeded, new Set(endings)]).toEqual([COPIES, new Set(['succeeded', 'OUT_OF_STOCK'])]);
  // It comes behind all of them, so the worker has nothing left that it has not begun, which it
  // would give back at its end.
  expect(await here.ending(await here.borrow(title))).toBe('OUT_OF_STOCK');
  await worker.stop();
  expect(await waiting()).toBe(0);
  expect(await there.endings(promised)).toEqual(endings);
  expect(await here.title(title)).toMatchObject({ totalStock: COPIES, availableStock: 0 });
  await audit(system.env);
  await held(
    13,
    system.env,
    `${COMMANDS} commands by three connections`,
    'one effect and one outcome each',
  );
}, 180_000);
