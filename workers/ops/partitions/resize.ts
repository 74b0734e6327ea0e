import { setTimeout as pause } from 'node:timers/promises';
import { PARTITIONS_MAX } from '../../../shared/config';
import { changesTo, readLayouts, type KeptLayout } from '../../../shared/database/layouts';
import { partitionNames } from '../../../shared/messaging/topology';
import { beginChange, layoutAfter } from '../../jobs/begin-change';
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
  const layouts = await readLayouts();
  const [current, begun] = layouts;
  if (!current) throw new OpsError('This database has no partitions yet: start the service once.');
  const underWay = changesTo(layouts);
  if (underWay !== null && underWay !== partitions)
    throw new OpsError(`A change to ${underWay} partitions is under way. Wait for it to finish.`);
  if (underWay === null && current.partitions === partitions) return partitions;
  const next = begun ?? layoutAfter(current, partitions);
  // One that an administrator wants is begun by the workers.
  if (underWay === null)
    await beginChange({ ...change, current, next }, (transaction) => {
      const facts = { from: current.partitions, to: partitions };
      return auditOperation({ action: 'ops.partitions.resize', facts }, transaction);
    });
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
