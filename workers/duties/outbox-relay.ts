import { Op } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Now } from '../../shared/database/clock';
import { Outbox } from '../../shared/database/tables';
import type { WorkerLink } from '../../shared/messaging/transport';
import { messagesIn } from '../batch/outbox-rows';
import { eventsRelayed } from '../metrics';
import type { Duty } from './duties';

/**
 * Publishes the events of the outbox: those that are pending, in the order of `seq`, and marks them
 * once the transport has them. A crash in between publishes them again, under the same ids.
 *
 * A cursor that remembers the last `seq` would skip events: numbers are given at INSERT, and a
 * transaction with a lower one may commit later. Pending rows are found by their mark, whenever
 * they appear. Per aggregate their order is that of the changes: whoever changes an aggregate has
 * read, in its own transaction, what the change before it committed. That holds within a partition,
 * whose next batch begins after the last one has committed, and between partitions: a title that
 * was made in its ISBN's partition is unknown in its own until that commit. So the later change's
 * INSERT comes after the earlier one's COMMIT, its `seq` is greater, and whoever sees it pending
 * also sees the earlier one, unless that is relayed. (This takes one database that gives out the
 * numbers, not several that write side by side.)
 *
 * Two workers that relay at once do no harm: each publishes from its first pending event on, in
 * order, so events come twice and never in another order for the first time; and each marks only
 * what the transport has from itself.
 */

/** Pause while nothing is pending, milliseconds. */
const POLL_MS = 200;
/**
 * Most rows in one go: bounds the memory for them, and for how long the process does nothing else.
 */
const ROWS_AT_A_TIME = 20;

/** When events were last marked, milliseconds since 1970; 0 when none are. */
async function lastRelayed(): Promise<number> {
  const last = await Outbox.findOne({
    attributes: ['relayedAt'],
    where: { relayedAt: { [Op.ne]: null } },
    order: [['relayedAt', 'DESC']],
  });
  return last?.relayedAt?.getTime() ?? 0;
}

export function outboxRelay(
  database: Sequelize,
  link: Pick<WorkerLink, 'publishEvents'>,
  now: Now,
): Duty {
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
      // Later than all before, whatever clocks say: a stream that is resumed reads events in this
      // order.
      relayedAt = Math.max(now().getTime(), (relayedAt ?? (await lastRelayed())) + 1);
      const marked = { relayedAt: new Date(relayedAt) };
      // In a transaction, because in SQLite those take turns, while a single statement would have
      // to meet a gap between them.
      await database.transaction((transaction) =>
        Outbox.update(marked, { where: { seq: seqs }, transaction }),
      );
      eventsRelayed.inc(events.length);
      // A few events wait for the next poll with others: each mark is a flush of the database's
      // log.
      return rows.length === ROWS_AT_A_TIME;
    },
  };
}
