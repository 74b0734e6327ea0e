import { readLayouts } from '../../../shared/database/layouts';
import { PartitionOwner } from '../../../shared/database/worker-tables';
import { partitionNames } from '../../../shared/messaging/topology';
import type { OpsCommand } from '../command';
import { serversOption } from '../installation';
import { table } from '../table';
import { withServers, type Servers } from './broker';

/** A partition as the operator sees it. */
export interface ShownPartition {
  readonly partition: string;
  /** Commands that wait and that no worker holds yet. */
  readonly waiting: number;
  /** Workers that are subscribed: one works, the others stand by. */
  readonly consumers: number;
  /** The worker that took it over last; empty when none ever did. */
  readonly owner: string;
  /** How often it was taken over. */
  readonly epoch: number;
  /** Batches committed in this epoch. */
  readonly batches: number;
}

async function partitions(
  { channel }: Servers,
  services: readonly string[],
): Promise<ShownPartition[]> {
  const owners = new Map(
    (await PartitionOwner.findAll({ raw: true })).map((row) => [row.partitionName, row]),
  );
  const names = (await readLayouts())
    .filter(({ drained }) => !drained)
    .flatMap((layout) => partitionNames(services, layout));
  return Promise.all(
    names.map(async (partition) => {
      const { messageCount, consumerCount } = await channel.checkQueue(partition);
      const { owner = '', epoch = 0, batches = 0 } = owners.get(partition) ?? {};
      return { partition, waiting: messageCount, consumers: consumerCount, owner, epoch, batches };
    }),
  );
}

export const listPartitions: OpsCommand = {
  summary: 'List partitions: what waits in them, and which worker owns them',
  options: { ...serversOption, json: { help: 'print the partitions as JSON' } },
  async run(given, { names }) {
    const shown = await withServers(given, (servers) => partitions(servers, names));
    if (given.flag('json')) process.stdout.write(`${JSON.stringify({ partitions: shown })}\n`);
    else {
      const rows = shown.map(({ partition, waiting, consumers, owner, epoch, batches }) =>
        [partition, waiting, consumers, epoch, batches, owner || '-'].map(String),
      );
      process.stdout.write(
        table([['PARTITION', 'WAITING', 'CONSUMERS', 'EPOCH', 'BATCHES', 'OWNER'], ...rows]),
      );
    }
    return 0;
  },
};
