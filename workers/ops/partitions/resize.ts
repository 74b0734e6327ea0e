import { setTimeout as pause } from 'node:timers/promises';
import { PARTITIONS_MAX } from '../../../shared/config';
import { addLayout, readLayouts, type KeptLayout } from '../../../shared/database/layouts';
import { closeEntrance, declareTopology } from '../../../shared/messaging/declare';
import { commandsExchange, partitionNames, type Layout } from '../../../shared/messaging/topology';
import { auditOperation } from '../audited';
import { OpsError, UsageError, type OpsCommand } from '../command';
import { serversOption } from '../installation';
import { withServers, type Servers } from './broker';

/** How often it is looked and told how far the change has come, milliseconds. */
const LOOK_MS = 2000;

interface Change extends Servers {
  /** The names of the services. */
  readonly services: readonly string[];
}

const tell = (line: string) => process.stderr.write(`${line}\n`);

/**
 * Makes the queues of the new layout and stores it: from then on commands go there. The entrance of
 * the old layout is closed first, so that nobody publishes there afterwards. If this process ends
 * in between, the next command that comes back has the entrance opened again.
 */
async function begin(
  { database, channel, services }: Change,
  current: Layout,
  next: Layout,
): Promise<void> {
  await declareTopology(channel, services, next);
  await channel.assertExchange(commandsExchange(current.generation), 'fanout', { durable: true });
  await closeEntrance(channel, current.generation);
  await database.transaction(async (transaction) => {
    await addLayout(services, next, transaction);
    const facts = { from: current.partitions, to: next.partitions };
    await auditOperation({ action: 'ops.partitions.resize', facts }, transaction);
  });
}

/** Waits until the workers have brought the change to its end. */
async function watch(change: Change, generation: number): Promise<void> {
  for (let told = ''; ; await pause(LOOK_MS, null)) {
    const [current] = await readLayouts();
    if (!current || current.generation === generation) return;
    const now = current.drained ? 'Removing the former queues.' : await waitingIn(change, current);
    if (now === told) continue;
    tell(now);
    told = now;
  }
}

async function waitingIn({ channel, services }: Change, current: KeptLayout): Promise<string> {
  const counts = await Promise.all(
    partitionNames(services, current).map(
      async (name) => (await channel.checkQueue(name)).messageCount,
    ),
  );
  return `Waiting for the workers: ${counts.reduce((sum, count) => sum + count, 0)} commands are left in the former queues.`;
}

async function resize(change: Change, partitions: number): Promise<number> {
  const [current, begun] = await readLayouts();
  if (!current) throw new OpsError('This database has no partitions yet: start the service once.');
  if (begun && begun.partitions !== partitions)
    throw new OpsError(
      `A change to ${begun.partitions} partitions is under way. Wait for it to finish.`,
    );
  if (!begun && current.partitions === partitions) return partitions;
  const next = begun ?? { generation: current.generation + 1, partitions };
  if (!begun) await begin(change, current, next);
  tell(
    `New commands go to ${partitions} partitions of each service. You need not wait: the workers complete the change.`,
  );
  await watch(change, next.generation);
  return current.partitions;
}

export const resizePartitions: OpsCommand = {
  summary: 'Change the number of partitions while commands flow',
  operands: ['N'],
  tellsProgress: true,
  options: { ...serversOption, json: { help: 'print the numbers before and after as JSON' } },
  notes:
    `N is 1 to ${PARTITIONS_MAX}. Commands of one title, post, course or account keep their order: new ones are accepted, and wait until the\n` +
    'workers have carried out the older ones. The former queues are removed some 20 seconds later. Where COMMAND_PARTITIONS is set,\n' +
    'change it too: a process that expects another number does not start.',
  async run(given, { names: services }) {
    const [operand = ''] = given.operands;
    const to = /^\d{1,3}$/.test(operand) ? Number(operand) : NaN;
    if (!(to >= 1 && to <= PARTITIONS_MAX))
      throw new UsageError(`N must be a whole number from 1 to ${PARTITIONS_MAX}.`);
    const from = await withServers(given, (servers) => resize({ ...servers, services }, to));
    const text =
      from === to
        ? `There are already ${to} partitions of each service.`
        : `There are ${to} partitions of each service now, ${from} before.`;
    process.stdout.write(given.flag('json') ? `${JSON.stringify({ from, to })}\n` : `${text}\n`);
    return 0;
  },
};
