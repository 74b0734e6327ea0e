import { Op, QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { readLayouts } from '../../../shared/database/layouts';
import { WORKER_ALIVE_S } from '../../../shared/database/lease';
import { DeadLetter, Outbox, PendingCommand } from '../../../shared/database/tables';
import { fault, ok, warning, type Finding } from './finding';

/** How long an event may wait to be published, milliseconds. */
const EVENT_WAIT_MS = 60_000;

/** What the tables tell of the commands: dead letters, events that wait. */
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

/** What the tables tell of the workers. */
export async function examineWorkers(database: Sequelize): Promise<Finding[]> {
  const alive = await database.query<{ worker: string; fault: string | null }>(
    `SELECT worker, fault FROM worker_heartbeat WHERE beat_at > NOW(3) - INTERVAL ${WORKER_ALIVE_S} SECOND ORDER BY worker`,
    { type: QueryTypes.SELECT },
  );
  const layouts = (await readLayouts()).filter(({ drained }) => !drained);
  return [
    alive.length > 0
      ? ok('workers', `${alive.length}: ${alive.map(({ worker }) => worker).join(', ')}`)
      : fault('workers', 'none', 'Start one with npm run start:worker. Commands wait until then.'),
    ...alive.flatMap(({ worker, fault: why }) =>
      why
        ? [
            fault(
              'commands',
              `${worker} carries out none: ${why}`,
              'Repair what it names. The worker then goes on by itself.',
            ),
          ]
        : [],
    ),
    layouts.length > 1
      ? warning(
          'layout',
          `changes to ${layouts.at(-1)?.partitions} partitions`,
          'This ends by itself when the old queues are empty, as long as a worker runs.',
        )
      : ok('layout', `${layouts[0]?.partitions ?? 0} partitions of each service`),
  ];
}

/** The embedded default's own log. */
export async function examineLog(): Promise<Finding> {
  const waiting = await PendingCommand.count();
  return ok('command log', `${waiting} commands wait; the service carries them out while it runs`);
}
