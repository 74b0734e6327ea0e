import { TrackedRows } from '../batch/service/tracked-rows';
import { OpenBorrows } from './open-borrows';
import type { Borrow } from './rows';

/** The borrows of one batch in memory. */
export class Borrows {
  /** What users have on loan, over all titles. */
  readonly openOfUsers = new OpenBorrows();
  private readonly rows = new TrackedRows<Borrow>();
  private readonly openOfTitle = new Map<number, Set<number>>();
  private readonly openByTitle = new Map<string, number>();
  private readonly openByCopy = new Map<number, number>();

  load(borrow: Borrow): void {
    this.rows.load(borrow);
    this.index(borrow);
  }

  /** Takes a borrow that is new or changed, of a copy of this kind. */
  put(borrow: Borrow, kind: string): void {
    const isOpen = borrow.status === 'BORROWED';
    const wasOpen = this.rows.get(borrow.id)?.status === 'BORROWED';
    this.openOfUsers.add(borrow.userId, kind, Number(isOpen) - Number(wasOpen));
    this.openOfUsers.due(borrow);
    if (isOpen) this.openOf(borrow.bookInfoId).add(borrow.id);
    else this.openOf(borrow.bookInfoId).delete(borrow.id);
    this.rows.put(borrow);
    this.index(borrow);
  }

  get(id: number): Borrow | undefined {
    return this.rows.get(id);
  }

  /** Returns the ids of the open borrows of a title. */
  openOf(bookInfoId: number): Set<number> {
    const known = this.openOfTitle.get(bookInfoId) ?? new Set();
    this.openOfTitle.set(bookInfoId, known);
    return known;
  }

  openOfUser(userId: number, bookInfoId: number): Borrow | undefined {
    const id = this.openByTitle.get(`${userId}:${bookInfoId}`);
    return id === undefined ? undefined : this.rows.get(id);
  }

  openOfCopy(bookId: number): Borrow | undefined {
    const id = this.openByCopy.get(bookId);
    return id === undefined ? undefined : this.rows.get(id);
  }

  /** A copy becomes another kind: when it is on loan, it counts as that. */
  recount(bookId: number, kindBefore: string, kind: string): void {
    const borrow = this.openOfCopy(bookId);
    if (!borrow || kindBefore === kind) return;
    this.openOfUsers.add(borrow.userId, kindBefore, -1);
    this.openOfUsers.add(borrow.userId, kind, 1);
  }

  /** Rows to write; of some of those to update, the borrower was reminded. */
  pending() {
    const { inserted, updated } = this.rows.pending();
    const reminded = updated.filter(({ id, reminder, dueAt }) => {
      const before = this.rows.stored(id);
      return reminder !== before?.reminder || (reminder !== null && dueAt !== before.dueAt);
    });
    return { inserted, updated, reminded };
  }

  private index({ id, userId, bookInfoId, bookId, status }: Borrow): void {
    const byTitle = `${userId}:${bookInfoId}`;
    if (status === 'BORROWED') {
      this.openByTitle.set(byTitle, id);
      this.openByCopy.set(bookId, id);
    } else {
      if (this.openByTitle.get(byTitle) === id) this.openByTitle.delete(byTitle);
      if (this.openByCopy.get(bookId) === id) this.openByCopy.delete(bookId);
    }
  }
}
