import type { Sequelize } from 'sequelize-typescript';
import { onNewPrimary } from '../../../shared/database/primary';
import type { IdKind } from './needs';
import { IdsUsedUp } from '../failures/retry';
import { atOnce } from '../sql/dialects';

/**
 * Fewest ids taken from the database at a time, and for how many batches like the present one. What
 * a process has not used when it ends is never used.
 */
const BLOCK_LENGTH = 500;
const BATCHES = 8;

interface Range {
  next: number;
  readonly end: number;
}

/**
 * Hands out ids from blocks that were reserved in the database, so that a row's id, and with it the
 * answer to a command, is known before the row is written. Ids are unique over all workers; between
 * workers they are not in order.
 */
export class IdBlocks {
  private readonly ranges = new Map<IdKind, Range[]>();

  constructor(private readonly database: Sequelize) {
    // The new primary may never have heard of these blocks, and give them away again.
    onNewPrimary(database, () => {
      this.ranges.clear();
    });
  }

  /** Makes sure that `count` ids of a kind can be taken without asking the database. */
  async reserve(kind: IdKind, count: number): Promise<void> {
    const ranges = this.ranges.get(kind) ?? [];
    const missing = count - ranges.reduce((sum, range) => sum + range.end - range.next, 0);
    if (missing <= 0) return;
    ranges.push(await this.reserveBlock(kind, Math.max(missing, BLOCK_LENGTH, BATCHES * count)));
    this.ranges.set(kind, ranges);
  }

  /**
   * @throws when more ids are taken than were reserved: the plan of a service asked for too few.
   */
  take(kind: IdKind): number {
    const ranges = this.ranges.get(kind) ?? [];
    while (ranges[0] && ranges[0].next === ranges[0].end) ranges.shift();
    const [range] = ranges;
    if (!range) throw new IdsUsedUp(`no ${kind} id was reserved for this decision`);
    return range.next++;
  }

  /**
   * Hands out the ids of one batch: of each kind as many as were reserved, although the blocks have
   * more. A command that was counted too low is noticed at once.
   * @throws IdsUsedUp when more are taken.
   */
  taker(reserved: ReadonlyMap<IdKind, number>): (kind: IdKind) => number {
    const left = new Map(reserved);
    return (kind) => {
      const count = left.get(kind) ?? 0;
      if (count === 0)
        throw new IdsUsedUp(`no ${kind} id is left of those that the batch asked for`);
      left.set(kind, count - 1);
      return this.take(kind);
    };
  }

  /** The ids that `take` will return next; fewer when fewer are reserved. */
  upcoming(kind: IdKind, count: number): number[] {
    const ids = (this.ranges.get(kind) ?? []).flatMap(({ next, end }) =>
      Array.from({ length: Math.min(end - next, count) }, (_, index) => next + index),
    );
    return ids.slice(0, count);
  }

  private async reserveBlock(kind: IdKind, length: number): Promise<Range> {
    // The UPDATE locks the row first, so that no one else reads the same number.
    const [, found] = await atOnce(this.database, [
      { sql: 'UPDATE id_block SET next_id = next_id + ? WHERE kind = ?', values: [length, kind] },
      { sql: 'SELECT next_id FROM id_block WHERE kind = ?', values: [kind] },
    ]);
    const [row] = found?.rows ?? [];
    if (!row) throw new Error(`there are no ids of kind ${kind}`);
    const end = Number(row.next_id);
    return { next: end - length, end };
  }
}
