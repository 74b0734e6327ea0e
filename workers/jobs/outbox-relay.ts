import { Op, type Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Now } from '../../shared/database/clock';
import { Outbox } from '../../shared/database/tables';
import type { EventMessage, WorkerLink } from '../../shared/messaging/transport';
import { messagesIn } from '../batch/outbox-rows';
import { eventsRelayed } from '../metrics';
import type { LeaderJob } from './leader-jobs';

/**
 * Publishes the pending events of the outbox in the order of `seq`, and marks them afterwards.
 * After a crash in between, they are published again under the same ids.
 * Pending rows are found by their mark. A cursor of the last `seq` would skip events, because a
 * transaction with a lower number may commit later.
 * The order of an aggregate is still right: a change reads what the change before it committed, so
 * its events have greater numbers. This needs one database that assigns the numbers.
 * Two relays at once do no harm: events may come twice, and in order the first time.
 */

/** Pause while nothing is pending, milliseconds. */
const POLL_MS = 200;
/** Most rows at a time. Bounds their memory, and how long the process does nothing else. */
const ROWS_AT_A_TIME = 20;

/** Returns when events were last marked, milliseconds since 1970; 0 when there are none. */
async function lastRelayed(): Promise<number> {
  const last = await Outbox.findOne({
    attributes: ['relayedAt'],
    where: { relayedAt: { [Op.ne]: null } },
    order: [['relayedAt', 'DESC']],
  });
  return last?.relayedAt?.getTime() ?? 0;
}

/** Gives events to other subscribers, in the transaction that marks them. */
type AlsoTell = (
  events: readonly EventMessage[],
  transaction: Transaction,
  now: Date,
) => Promise<void>;

export function outboxRelay(
  database: Sequelize,
  link: Pick<WorkerLink, 'publishEvents'>,
  now: Now,
  alsoTell?: AlsoTell,
): LeaderJob {
  let relayedAt: number | null = null;
  return {
    name: 'outbox-relay',
    everyMs: POLL_MS,
    async run() {
      const rows = await Outbox.findAll({
        where: { relayedAt: null },
        order: ['seq'],
        limit: ROWS_AT_A_TIME,
        raw: true,
      });
      if (rows.length === 0) return false;
      const events = rows.flatMap(messagesIn);
      await link.publishEvents(events);
      const seqs = rows.map(({ seq }) => seq);
      // Later than all before, whatever clocks say, because a resumed stream reads events in this
      // order.
      relayedAt = Math.max(now().getTime(), (relayedAt ?? (await lastRelayed())) + 1);
      const marked = { relayedAt: new Date(relayedAt) };
      // In a transaction, because in SQLite transactions take turns. A single statement would need
      // a gap between them.
      await database.transaction(async (transaction) => {
        await Outbox.update(marked, { where: { seq: seqs }, transaction });
        await alsoTell?.(events, transaction, marked.relayedAt);
      });
      eventsRelayed.inc(events.length);
      // A few events wait for the next poll together, because each mark flushes the database's log.
      return rows.length === ROWS_AT_A_TIME;
    },
  };
}
