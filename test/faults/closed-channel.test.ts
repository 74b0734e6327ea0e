import { bookInfoKey } from '../../shared/lending/commands';
import { partitionName, partitionNames, partitionOf } from '../../shared/messaging/topology';
import { services } from '../../shared/services';
import { Editor } from '../support/clients/editor';
import { exportedServers } from '../support/servers/fresh';
import { held } from '../support/run/held';
import { callManagement } from '../support/servers/management';
import { startServers, type System } from '../support/service/processes';
import { startProxy, type Proxy } from '../support/faults/proxy';
import { audit } from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

const PARTITIONS = 16;
/**
 * How long it may take until the partition is consumed again, and until the management API shows
 * it, milliseconds.
 */
const AGAIN_MS = 30_000;

interface Consumer {
  readonly consumer_tag: string;
  readonly queue: { readonly name: string };
  readonly channel_details: { readonly number?: number };
}

/**
 * `basic.ack` of a delivery that there never was: the broker answers by closing the channel with
 * 406.
 */
function bogusAck(channel: number): Buffer {
  const frame = Buffer.from([
    1, 0, 0, 0, 0, 0, 13, 0, 60, 0, 80, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0xce,
  ]);
  frame.writeUInt16BE(channel, 1);
  return frame;
}

describe('a partition whose channel the broker closes, while the connection lives', () => {
  let system: System;
  let proxy: Proxy;
  let editor: Editor;
  let title: number;
  let partition: string;
  let ask: (method: string, path: string) => Promise<unknown>;

  beforeAll(async () => {
    system = await startServers({ workers: 0, env: { COMMAND_PARTITIONS: String(PARTITIONS) } });
    proxy = await startProxy(system.workerEnv.RABBITMQ_URL ?? '', 5672);
    await system.addWorker({ RABBITMQ_URL: proxy.url });
    editor = new Editor(system.apis[0]?.url ?? '', system.env.JWT_SECRET ?? '');
    [title = 0] = await editor.register(1);
    partition = partitionName('lending', partitionOf(bookInfoKey(title), PARTITIONS));
    const { rabbitmqManagementUrl } = exportedServers();
    const vhost = new URL(system.env.RABBITMQ_URL ?? '').pathname.slice(1);
    ask = (method, path) =>
      callManagement(rabbitmqManagementUrl, method, `/api/${path.replace('{vhost}', vhost)}`);
  });

  /** The consumers by partition, once every partition has one and the channel of each is known. */
  const consumers = (): Promise<Map<string, Consumer>> =>
    waitUntil('a consumer of every partition', AGAIN_MS, async () => {
      const found = new Map(
        ((await ask('GET', 'consumers/{vhost}')) as Consumer[]).map((consumer) => [
          consumer.queue.name,
          consumer,
        ]),
      );
      return partitionNames(services.names, { generation: 1, partitions: PARTITIONS }).every(
        (name) => found.get(name)?.channel_details.number,
      )
        ? found
        : undefined;
    });

  const renamed = async () => (await editor.versions([await editor.rename(title)]))[0];

  it.each<[string, (before: Map<string, Consumer>) => Promise<unknown>]>([
    [
      'for a protocol error',
      (before) => {
        proxy.inject(bogusAck(before.get(partition)?.channel_details.number ?? 0));
        return Promise.resolve();
      },
    ],
    ['because its queue was deleted', () => ask('DELETE', `queues/{vhost}/${partition}`)],
  ])(
    '%s, is consumed again, and no other partition notices',
    async (why, closeChannel) => {
      const version = Number(await renamed());
      const before = await consumers();
      const tag = before.get(partition)?.consumer_tag;
      await closeChannel(before);
      const after = await waitUntil('a new consumer', AGAIN_MS, async () => {
        const found = await consumers();
        return found.get(partition)?.consumer_tag === tag ? undefined : found;
      });
      expect(await renamed()).toBe(version + 1);
      const tags = (found: Map<string, Consumer>) =>
        [...found.values()]
          .filter(({ queue }) => queue.name !== partition)
          .map((consumer) => consumer.consumer_tag)
          .sort();
      expect(tags(after)).toEqual(tags(before));
      await held(
        9,
        system.env,
        `once ${why}`,
        `consumed again within ${AGAIN_MS / 1000} s; the other ${tags(after).length} partitions not disturbed`,
      );
    },
    300_000,
  );

  afterAll(() => audit(system.env));
});
