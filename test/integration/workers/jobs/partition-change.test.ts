import { connect, type ConfirmChannel } from 'amqplib';
import { declareTopology } from '../../../../shared/messaging/declare';
import { partitionName } from '../../../../shared/messaging/topology';
import { services } from '../../../../shared/services';
import { PartitionChange } from '../../../../workers/jobs/partition-change';
import { onCleanUp } from '../../../support/run/cleanup';
import { exportedServers, freshVirtualHost } from '../../../support/servers/fresh';
import { callManagement } from '../../../support/servers/management';
import { emptyDatabase } from '../../../support/servers/database';
import { TEST_SIGNATURES } from '../../../support/service/signatures';
import { waitUntil } from '../../../support/wait';

const OLD = { generation: 1, partitions: 1, drained: false, resizeTo: null };
const NEXT = { generation: 2, partitions: 2 };
const QUEUE = partitionName('lending', 0);
/** How long the broker may take to apply a policy, milliseconds. */
const APPLIED_MS = 30_000;

it('a change of the number of partitions ends, so that it begins again on another channel, when a queue keeps refusing', async () => {
  const url = await freshVirtualHost();
  const connection = await connect(url);
  onCleanUp(() => connection.close());
  const channel = await connection.createConfirmChannel();
  await declareTopology(channel, services.names, OLD);
  const policies = `/api/policies${new URL(url).pathname}/short`;
  await callManagement(exportedServers().rabbitmqManagementUrl, 'PUT', policies, {
    pattern: `^${QUEUE}$`,
    definition: { 'max-length': 1 },
  });
  await waitUntil('the queue is full', APPLIED_MS, () => refuses(channel));
  const database = await emptyDatabase('sqlite');
  const change = new PartitionChange(
    OLD,
    NEXT,
    { database, services, now: () => new Date(), signatures: TEST_SIGNATURES },
    channel,
  );
  await expect(change.run()).rejects.toThrow(`${QUEUE} takes nothing`);
});

const refuses = (channel: ConfirmChannel): Promise<boolean> =>
  new Promise((resolve) => {
    channel.sendToQueue(QUEUE, Buffer.from('{}'), {}, (error: unknown) => {
      resolve(Boolean(error));
    });
  });
