import jwt from 'jsonwebtoken';
import { services } from '../../../../shared/services';
import { exportedServers } from '../../../support/servers/fresh';
import { callManagement } from '../../../support/servers/management';
import { startServers, type System } from '../../../support/service/processes';
import { waitUntil } from '../../../support/wait';

/** What operators see in RabbitMQ's management UI, asked for as the UI asks. */

interface Consumer {
  readonly consumer_tag: string;
  readonly activity_status: string;
  readonly queue: { readonly name: string };
}

const PARTITION = new RegExp(`^(${services.names.join('|')})\\.commands\\.\\d\\d$`);
const PARTITIONS = services.names.length * 16;
/**
 * How long a busy machine may take until the partitions are spread, milliseconds: steps back from a
 * partition are 10 s apart.
 */
const SPREAD_MS = 90_000;

describe('two workers and two APIs at one broker', () => {
  let system: System;
  let ask: (path: string) => Promise<unknown>;

  beforeAll(async () => {
    system = await startServers({ apis: 2, workers: 2 });
    const { rabbitmqManagementUrl: management } = exportedServers();
    const vhost = new URL(system.env.RABBITMQ_URL ?? '').pathname.slice(1);
    // Connections alone are listed the other way round.
    ask = (path) =>
      callManagement(
        management,
        'GET',
        path === 'connections' ? `/api/vhosts/${vhost}/connections` : `/api/${path}/${vhost}`,
      );
  });

  afterAll(() => system.stop());

  const consumersOf = async () =>
    ((await ask('consumers')) as Consumer[]).filter(({ queue }) => PARTITION.test(queue.name));

  it('each worker is the active consumer of its share of the partitions', async () => {
    // Rendezvous hashing spreads by chance; with 32 partitions or more a share below 6 comes once
    // in ten thousand runs.
    await waitUntil('both workers have a share of 6 or more', SPREAD_MS, async () => {
      const active = (await consumersOf()).filter(
        ({ activity_status: status }) => status === 'single_active',
      );
      const workers = new Map<string, number>();
      for (const { consumer_tag: tag } of active)
        workers.set(tag.split('/')[0] ?? '', (workers.get(tag.split('/')[0] ?? '') ?? 0) + 1);
      return (
        workers.size === 2 && active.length === PARTITIONS && Math.min(...workers.values()) >= 6
      );
    });
  });

  it('each consumer is named after its worker and partition, each connection after its process', async () => {
    for (const { consumer_tag: tag, queue } of await consumersOf())
      expect(tag).toMatch(new RegExp(`^[^/]+/${queue.name.replaceAll('.', '\\.')}#\\d+$`));
    const names = await waitUntil('four connections', 30_000, async () => {
      const list = ((await ask('connections')) as { user_provided_name: string }[]).map(
        ({ user_provided_name: name }) => name,
      );
      return list.length >= 4 ? list : undefined;
    });
    expect(names.filter((name) => name.startsWith('lendline-worker '))).toHaveLength(2);
    expect(names.filter((name) => name.startsWith('lendline-api '))).toHaveLength(2);
  });

  it('every partition is a quorum queue with a single active consumer, a delivery limit and a dead-letter queue', async () => {
    const queues = (await ask('queues')) as {
      name: string;
      type: string;
      arguments: Record<string, unknown>;
    }[];
    const partitions = queues.filter(({ name }) => PARTITION.test(name));
    expect(partitions).toHaveLength(PARTITIONS);
    for (const { name, type, arguments: given } of partitions) {
      expect(type).toBe('quorum');
      expect(given).toMatchObject({
        'x-single-active-consumer': true,
        'x-delivery-limit': 100,
        'x-overflow': 'reject-publish',
        'x-dead-letter-routing-key': `${name.split('.')[0] ?? ''}.commands.dead`,
      });
    }
    expect(queues.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['identity.commands.dead', 'lending.commands.dead']),
    );
  });

  it('both APIs get their own answers', async () => {
    const secret = system.env.JWT_SECRET ?? '';
    const admin = jwt.sign({ username: 'admin', role: 'user', isAdmin: true }, secret, {
      subject: '9000000001',
      expiresIn: 3600,
    });
    for (const { url } of system.apis) {
      const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
      const answer = await fetch(`${url}/api/book-infos`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ title: 'Two', author: 'APIs' }),
      });
      expect(answer.status).toBe(201);
    }
  });
});
