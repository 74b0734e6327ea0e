import type { ChannelModel } from 'amqplib';
import { calls } from '../../../shared/calls';
import { partitionArguments, serviceOf } from '../../../shared/messaging/topology';
import { fault, isAtLeast, ok, versionOf, warning, type Finding } from './finding';

/**
 * Examines RabbitMQ: its version, and whether every partition exists, has the right arguments and
 * is served.
 */
export async function examineRabbitmq(
  connection: ChannelModel,
  shown: string,
  partitions: readonly string[],
): Promise<Finding[]> {
  return [version(connection, shown), ...(await examineQueues(connection, partitions))];
}

function version({ connection }: ChannelModel, shown: string): Finding {
  const text =
    (connection as unknown as { serverProperties?: { version?: string } }).serverProperties
      ?.version ?? 'of no known version';
  const found = `${text} at ${shown}`;
  const known = versionOf(text);
  if (!isAtLeast(known, 3, 10))
    return fault('RabbitMQ', found, 'Use 3.10 or later. Older versions lack what the queues need.');
  const wedges = isAtLeast(known, 4, 0) && !isAtLeast(known, 4, 1, 2);
  const deadlocks = isAtLeast(known, 4, 3) && !isAtLeast(known, 4, 3, 6);
  return wedges || deadlocks
    ? warning(
        'RabbitMQ',
        found,
        `Use 4.2 or another version. This one can ${wedges ? 'wedge' : 'deadlock'} a single active consumer.`,
      )
    : ok('RabbitMQ', found);
}

async function examineQueues(
  connection: ChannelModel,
  partitions: readonly string[],
): Promise<Finding[]> {
  const [missing, others, idle]: [string[], string[], string[]] = [[], [], []];
  let waiting = 0;
  for (const name of partitions) {
    const queue = await onChannel(connection, (channel) => channel.checkQueue(name));
    if (!queue) missing.push(name);
    else if (
      !(await onChannel(connection, (channel) =>
        channel.assertQueue(name, {
          durable: true,
          arguments: partitionArguments(serviceOf(name)),
        }),
      ))
    )
      others.push(name);
    else if (queue.consumerCount === 0) idle.push(name);
    waiting += queue?.messageCount ?? 0;
  }
  const findings = [
    missing.length > 0 &&
      fault(
        'partitions',
        `${told(missing)} missing`,
        'Start an API or a worker. It declares what is missing.',
      ),
    others.length > 0 &&
      fault(
        'partitions',
        `${told(others)} declared with other arguments`,
        'Delete them when they are empty, and start a worker. It declares them correctly.',
      ),
    idle.length > 0 &&
      fault('partitions', `${told(idle)} without a worker`, `Start a worker with ${calls.worker}.`),
  ].filter((finding) => finding !== false);
  return findings.length > 0 || partitions.length === 0
    ? findings
    : [ok('partitions', `${partitions.length} served, ${waiting} commands wait`)];
}

/**
 * Asks on a channel of its own, because the broker closes the channel when it refuses. Null then.
 */
async function onChannel<Result>(
  connection: ChannelModel,
  ask: (channel: Awaited<ReturnType<ChannelModel['createChannel']>>) => Promise<Result>,
): Promise<Result | null> {
  const channel = await connection.createChannel();
  channel.on('error', () => undefined);
  try {
    const result = await ask(channel);
    await channel.close();
    return result;
  } catch {
    return null;
  }
}

function told([first, ...more]: readonly string[]): string {
  return more.length === 0 ? `${first} is` : `${first} and ${more.length} more are`;
}
