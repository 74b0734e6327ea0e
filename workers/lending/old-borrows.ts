import { Op, type WhereOptions } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Now } from '../../shared/database/clock';
import { BookUser } from '../../shared/lending/tables';
import type { LeaderJob } from '../jobs/leader-jobs';
import { DAY_MS } from './decided';

/**
 * Removes the reader from borrows that were closed long ago.
 * Borrows are read in the order of their ids, some at a time and each once an hour. An index on the
 * remaining ones would cost every borrow its share.
 */

/** How often the job runs, milliseconds. */
const EVERY_MS = 60_000;
/** Pause between two passes over all borrows, milliseconds. */
const PASS_EVERY_MS = 3600 * 1000;
/** Borrows read in one transaction. */
const ROWS_AT_A_TIME = 2000;

/**
 * Selects borrows closed before an instant. The time of a loss is not stored, so the due date
 * counts for it.
 */
const closedBefore = (instant: Date): WhereOptions => ({
  userId: { [Op.ne]: null },
  [Op.or]: [{ returnedAt: { [Op.lt]: instant } }, { status: 'LOST', dueAt: { [Op.lt]: instant } }],
});

class OldBorrows {
  /** The last borrow that was read. */
  private last = 0;

  constructor(private readonly database: Sequelize) {}

  /** Processes the next borrows. True when there are more. */
  async forget(before: Date): Promise<boolean> {
    const order = { where: { id: { [Op.gt]: this.last } }, order: ['id'], raw: true as const };
    const end = await BookUser.findOne({
      attributes: ['id'],
      ...order,
      offset: ROWS_AT_A_TIME - 1,
    });
    const ids = { [Op.gt]: this.last, ...(end && { [Op.lte]: end.id }) };
    // In a transaction, because in SQLite transactions take turns.
    await this.database.transaction((transaction) =>
      BookUser.update(
        { userId: null },
        { where: { [Op.and]: [{ id: ids }, closedBefore(before)] }, transaction },
      ),
    );
    this.last = end?.id ?? 0;
    return end !== null;
  }
}

/** Makes the job. `days`: how long a closed borrow keeps its reader; 0 for ever. */
export function oldBorrows(database: Sequelize, now: Now, days: number): LeaderJob {
  const borrows = new OldBorrows(database);
  let restUntil = 0;
  return {
    name: 'old-borrows',
    everyMs: EVERY_MS,
    async run() {
      if (days === 0 || performance.now() < restUntil) return false;
      const more = await borrows.forget(new Date(now().getTime() - days * DAY_MS));
      if (!more) restUntil = performance.now() + PASS_EVERY_MS;
      return more;
    },
  };
}
