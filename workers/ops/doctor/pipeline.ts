import { Op, QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { calls } from '../../../shared/calls';
import { changesTo, partitionsWithoutOwner, readLayouts } from '../../../shared/database/layouts';
import { WORKER_ALIVE_S } from '../../../shared/database/lease';
import { DeadLetter } from '../../../shared/database/dead-letter-tables';
import { Outbox, PendingCommand } from '../../../shared/database/tables';
import type { WorkerState } from '../../../shared/database/worker-tables';
import { fault, ok, warning, type Finding } from './finding';

/** How long an event may wait to be published, milliseconds. */
const EVENT_WAIT_MS = 60_000;

/** Examines the commands in the tables: dead letters and waiting events. */
export async function examineCommands(): Promise<Finding[]> {
  const letters = await DeadLetter.count();
  const late = await Outbox.count({
    where: { relayedAt: null, occurredAt: { [Op.lt]: new Date(Date.now() - EVENT_WAIT_MS) } },
  });
  return [
    letters === 0
      ? ok('dead letters', 'none')
      : warning(
          'dead letters',
          String(letters),
          'List them with ops dead-letters list. Then replay or discard them.',
        ),
    late === 0
      ? ok('events', 'none waiting')
      : warning(
          'events',
          `${late} waiting for more than ${EVENT_WAIT_MS / 1000} s`,
          'They are published when a worker and RabbitMQ are running.',
        ),
  ];
}

/** Examines whether workers can take over all partitions. */
export async function examineOwners(services: readonly string[]): Promise<Finding> {
  const missing = await partitionsWithoutOwner(services);
  const [first = '', ...others] = missing;
  return missing.length === 0
    ? ok('owners', 'every partition has its row')
    : fault(
        'owners',
        `${first}${others.length > 0 ? ` and ${others.length} more` : ''} have no row in partition_owner`,
        `Run ${calls.migrate}, or restart the service. Commands for them wait until then.`,
      );
}

interface LiveWorker {
  readonly worker: string;
  readonly fault: string | null;
  readonly leftToLater: string | null;
  readonly state: WorkerState | null;
}

/** Examines whether a worker serves. Drained ones are named, because they take no partition. */
function examineServing(alive: readonly LiveWorker[]): Finding {
  const isServing = ({ state }: LiveWorker) => (state ?? 'serving') === 'serving';
  const named = (workers: readonly LiveWorker[]) => workers.map(({ worker }) => worker).join(', ');
  const serving = alive.filter(isServing);
  const drained = alive.filter((one) => !isServing(one));
  const rest = drained.length > 0 ? `${drained.length} drained: ${named(drained)}` : '';
  if (serving.length > 0)
    return ok('workers', `${serving.length}: ${named(serving)}${rest && `; ${rest}`}`);
  return rest
    ? fault('workers', rest, 'Restart one of them, or start another. Commands wait until then.')
    : fault('workers', 'none', `Start one with ${calls.worker}. Commands wait until then.`);
}

/** Examines the workers in the tables. */
export async function examineWorkers(database: Sequelize): Promise<Finding[]> {
  const alive = await database.query<LiveWorker>(
    `SELECT worker, fault, left_to_later AS leftToLater, state FROM worker_heartbeat WHERE beat_at > NOW(3) - INTERVAL ${WORKER_ALIVE_S} SECOND ORDER BY worker`,
    { type: QueryTypes.SELECT },
  );
  const layouts = (await readLayouts()).filter(({ drained }) => !drained);
  const to = changesTo(layouts);
  return [
    examineServing(alive),
    ...alive.flatMap(({ worker, fault: why }) =>
      why
        ? [
            fault(
              'commands',
              `${worker} carries out no commands: ${why}`,
              'Repair what it names. The worker then continues by itself.',
            ),
          ]
        : [],
    ),
    ...examineLeft(alive.map(({ leftToLater }) => leftToLater)),
    to !== null
      ? warning(
          'layout',
          `changes to ${to} partitions`,
          'This ends by itself when the old queues are empty, as long as a worker runs.',
        )
      : ok('layout', `${layouts[0]?.partitions ?? 0} partitions of each service`),
  ];
}

/** `lists`: for each worker that lives, the partitions that it leaves to a later release. */
function examineLeft(lists: readonly (string | null)[]): Finding[] {
  const [first = [], ...others] = lists.map((list) => JSON.parse(list ?? '[]') as string[]);
  const waiting = first.filter((name) => others.every((left) => left.includes(name)));
  return waiting.length === 0
    ? []
    : [
        fault(
          'partitions',
          `${waiting.join(', ')} wait for a worker of a later release`,
          'They have commands that no running worker knows. Start workers of the release of the newest API.',
        ),
      ];
}

/** Examines the command log of the embedded default. */
export async function examineLog(): Promise<Finding> {
  const waiting = await PendingCommand.count();
  return ok('command log', `${waiting} commands wait; the service carries them out while it runs`);
}
