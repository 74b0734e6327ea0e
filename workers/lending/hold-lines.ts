import type { HoldStatus } from '../../shared/lending/commands';
import { TrackedRows } from '../batch/service/tracked-rows';

/** A hold: a reader's place in the line of a title, and what became of it. */
export interface Hold {
  readonly id: number;
  readonly userId: number;
  readonly username: string;
  readonly bookInfoId: number;
  readonly title: string;
  readonly status: HoldStatus;
  /** Place among all holds that the title ever had, which orders the line. */
  readonly lineNo: number;
  /** The copy set aside for it. It is kept after the hold ended with a copy. */
  readonly bookId: number | null;
  readonly placedAt: Date;
  readonly readyAt: Date | null;
  readonly expiresAt: Date | null;
  readonly closedAt: Date | null;
}

/** What decisions can read about holds. */
export interface HoldsView {
  hold(id: number): Hold | undefined;
  /** Returns the user's open hold on the title. */
  openOf(userId: number, bookInfoId: number): Hold | undefined;
  /**
   * Returns how many holds the user has open, over all titles. Counted only when a rule limits
   * them.
   */
  openHolds(userId: number): number;
  /** Returns the hold for which a copy is set aside. */
  readyOfCopy(bookId: number): Hold | undefined;
  /** Returns the waiting holds of a title in order, as many as the batch can serve. */
  line(bookInfoId: number): readonly Hold[];
  /** Returns every open hold of the title. Complete only for a title that the batch deletes. */
  open(bookInfoId: number): readonly Hold[];
  /**
   * Returns how many readers wait, and the next place. Counted only for titles that get new holds
   * in the batch.
   */
  tail(bookInfoId: number): { readonly waiting: number; readonly nextLineNo: number };
}

const isOpen = ({ status }: Hold): boolean => status === 'WAITING' || status === 'READY';
const NO_LINE: readonly Hold[] = [];

/** The holds of one batch in memory, like `LendingState`. */
export class HoldLines implements HoldsView {
  private readonly holds = new TrackedRows<Hold>();
  private readonly byTitle = new Map<number, Set<number>>();
  private readonly openByUser = new Map<string, number>();
  private readonly readyByCopy = new Map<number, number>();
  private readonly openCounts = new Map<number, number>();
  private readonly tails = new Map<number, { waiting: number; lastLineNo: number }>();

  load(rows: readonly Hold[]): void {
    for (const hold of rows) {
      this.index(hold);
      this.holds.load(hold);
    }
  }

  loadTail(bookInfoId: number, tail: { waiting: number; lastLineNo: number }): void {
    this.tails.set(bookInfoId, { ...tail });
  }

  loadOpenCounts(counts: ReadonlyMap<number, number>): void {
    for (const [userId, count] of counts) this.openCounts.set(userId, count);
  }

  evolve(rows: readonly Hold[]): void {
    for (const hold of rows) {
      const before = this.holds.get(hold.id);
      const opened = Number(isOpen(hold)) - Number(before !== undefined && isOpen(before));
      this.openCounts.set(hold.userId, this.openHolds(hold.userId) + opened);
      const tail = this.tails.get(hold.bookInfoId) ?? { waiting: 0, lastLineNo: 0 };
      const waited = before?.status === 'WAITING';
      this.tails.set(hold.bookInfoId, {
        waiting: tail.waiting + Number(hold.status === 'WAITING') - Number(waited),
        lastLineNo: Math.max(tail.lastLineNo, hold.lineNo),
      });
      this.index(hold);
      this.holds.put(hold);
    }
  }

  hold(id: number): Hold | undefined {
    return this.holds.get(id);
  }

  openOf(userId: number, bookInfoId: number): Hold | undefined {
    return this.found(this.openByUser.get(`${userId}:${bookInfoId}`));
  }

  openHolds(userId: number): number {
    return this.openCounts.get(userId) ?? 0;
  }

  readyOfCopy(bookId: number): Hold | undefined {
    return this.found(this.readyByCopy.get(bookId));
  }

  line(bookInfoId: number): readonly Hold[] {
    if (!this.byTitle.has(bookInfoId)) return NO_LINE;
    return this.open(bookInfoId).filter(({ status }) => status === 'WAITING');
  }

  open(bookInfoId: number): readonly Hold[] {
    const holds = [...(this.byTitle.get(bookInfoId) ?? [])].flatMap(
      (id) => this.holds.get(id) ?? [],
    );
    return holds.filter(isOpen).sort((a, b) => a.lineNo - b.lineNo);
  }

  tail(bookInfoId: number): { readonly waiting: number; readonly nextLineNo: number } {
    const { waiting, lastLineNo } = this.tails.get(bookInfoId) ?? { waiting: 0, lastLineNo: 0 };
    return { waiting, nextLineNo: lastLineNo + 1 };
  }

  /**
   * Returns the rows to write, in an order that meets no unique key. First come holds that lose
   * their copy and get another one (`swapped`), then those that end without a place or copy, then
   * those with one.
   */
  pending(): { swapped: Hold[]; updated: Hold[]; ready: Hold[]; inserted: Hold[] } {
    const { inserted, updated } = this.holds.pending();
    const ready = updated.filter(({ status }) => status === 'READY');
    const swapped = ready.filter(({ id, bookId }) => {
      const before = this.holds.stored(id);
      return before?.status === 'READY' && before.bookId !== bookId;
    });
    return {
      swapped,
      updated: updated.filter(({ status }) => status !== 'READY'),
      ready,
      inserted,
    };
  }

  private found(id: number | undefined): Hold | undefined {
    return id === undefined ? undefined : this.holds.get(id);
  }

  /** Indexes a hold that is about to be added. */
  private index(hold: Hold): void {
    const before = this.holds.get(hold.id);
    if (
      before?.status === 'READY' &&
      before.bookId !== null &&
      this.readyByCopy.get(before.bookId) === hold.id
    )
      this.readyByCopy.delete(before.bookId);
    const ofTitle = this.byTitle.get(hold.bookInfoId) ?? new Set();
    this.byTitle.set(hold.bookInfoId, ofTitle.add(hold.id));
    const mine = `${hold.userId}:${hold.bookInfoId}`;
    if (isOpen(hold)) this.openByUser.set(mine, hold.id);
    else if (this.openByUser.get(mine) === hold.id) this.openByUser.delete(mine);
    if (hold.status === 'READY' && hold.bookId !== null) this.readyByCopy.set(hold.bookId, hold.id);
  }
}
