import type { CopyStatus, HoldStatus, LendingCommand } from '../../../../shared/lending/commands';
import { doneBy, refused, type Verdict } from '../verdict';
import { ReferenceCalendar } from './reference-calendar';
import { ReferenceLoanRules } from './reference-loan-rules';
import {
  borrowView,
  titleView,
  type ReferenceBorrow,
  type ReferenceCopy,
  type ReferenceHold,
  type ReferenceTitle,
} from './reference-rows';

/** What the second rules of lending know, and what they ask about it. */

export type CommandOfType<Type extends LendingCommand['type']> = Extract<
  LendingCommand,
  { type: Type }
>;

export interface NextIds {
  author: number;
  'book-info': number;
  book: number;
  borrow: number;
  hold: number;
}

export interface ReferenceRules {
  readonly loanDays: number;
  readonly maxOpenBorrows: number;
  readonly holdPickupDays: number;
  readonly dueSoonDays: number;
}

export const done = doneBy('lending');
export const replaced = <Row extends { readonly id: number }>(rows: Row[], row: Row): Row[] =>
  rows.map((other) => (other.id === row.id ? row : other));

export class ReferenceLibrary {
  titles: ReferenceTitle[] = [];
  copies: ReferenceCopy[] = [];
  borrows: ReferenceBorrow[] = [];
  /** In the order in which they were placed; the line of a title is what waits here. */
  holds: ReferenceHold[] = [];
  authors: { readonly id: number; readonly name: string }[] = [];
  readonly loanRules: ReferenceLoanRules;
  readonly calendar = new ReferenceCalendar();

  constructor(
    readonly rules: ReferenceRules,
    readonly usernameOf: (userId: number) => string,
    readonly next: NextIds = { author: 1, 'book-info': 1, book: 1, borrow: 1, hold: 1 },
    categoryOf: (userId: number) => string = () => 'general',
  ) {
    this.loanRules = new ReferenceLoanRules(rules, categoryOf);
  }

  stock(bookInfoId: number): { totalStock: number; availableStock: number } {
    const here = this.copies.filter(
      (copy) => copy.bookInfoId === bookInfoId && copy.deletedAt === null,
    );
    return {
      totalStock: here.filter(({ status }) => status !== 'WITHDRAWN').length,
      availableStock: here.filter(({ status }) => status === 'AVAILABLE').length,
    };
  }

  /** Returns those who wait for a title, first come first served. */
  line(bookInfoId: number): ReferenceHold[] {
    return this.holds.filter((hold) => hold.bookInfoId === bookInfoId && hold.status === 'WAITING');
  }

  kindOfCopy(bookId: number): string {
    return this.copies.find(({ id }) => id === bookId)?.kind ?? '';
  }

  live(bookInfoId: number): ReferenceTitle | undefined {
    return this.titles.find(({ id, deletedAt }) => id === bookInfoId && deletedAt === null);
  }

  copyOf(bookInfoId: number, bookId: number): ReferenceCopy | undefined {
    return this.copies.find(
      (copy) => copy.id === bookId && copy.bookInfoId === bookInfoId && copy.deletedAt === null,
    );
  }

  openOf(bookId: number): ReferenceBorrow | undefined {
    return this.borrows.find((borrow) => borrow.bookId === bookId && borrow.status === 'BORROWED');
  }

  readyOf(bookId: number): ReferenceHold | undefined {
    return this.holds.find((hold) => hold.bookId === bookId && hold.status === 'READY');
  }

  openHold(userId: number, bookInfoId: number): ReferenceHold | undefined {
    return this.holds.find(
      (hold) => hold.userId === userId && hold.bookInfoId === bookInfoId && hold.closedAt === null,
    );
  }

  available(bookInfoId: number): ReferenceCopy[] {
    return this.copies
      .filter(
        (copy) =>
          copy.bookInfoId === bookInfoId && copy.deletedAt === null && copy.status === 'AVAILABLE',
      )
      .sort((a, b) => a.id - b.id);
  }

  give(bookId: number, status: CopyStatus): void {
    this.copies = this.copies.map((copy) => (copy.id === bookId ? { ...copy, status } : copy));
  }

  /**
   * As long as a copy is available and somebody waits, the first gets it. Returns the events of
   * that.
   */
  settle(bookInfoId: number, now: Date): string[] {
    const events: string[] = [];
    for (;;) {
      const [first] = this.line(bookInfoId);
      const [copy] = this.available(bookInfoId);
      if (!first || !copy) return events;
      this.give(copy.id, 'ON_HOLD');
      this.holds = replaced(this.holds, {
        ...first,
        status: 'READY',
        bookId: copy.id,
        readyAt: now,
        expiresAt: this.calendar.end(now, this.rules.holdPickupDays),
      });
      events.push('hold.ready');
    }
  }

  /** Ends a hold; a copy that it leaves is available until somebody else gets it. */
  closeHold(hold: ReferenceHold, status: HoldStatus, now: Date): void {
    if (
      hold.status === 'READY' &&
      hold.bookId !== null &&
      this.copies.some(({ id, status: of }) => id === hold.bookId && of === 'ON_HOLD')
    )
      this.give(hold.bookId, 'AVAILABLE');
    this.holds = replaced(this.holds, { ...hold, status, closedAt: now });
  }

  titleView(title: ReferenceTitle): object {
    return titleView(title, this.stock(title.id));
  }

  borrowView(borrow: ReferenceBorrow, now: Date): object {
    return borrowView(borrow, now, {
      username: this.usernameOf(borrow.userId),
      title: this.titles.find(({ id }) => id === borrow.bookInfoId)?.title,
    });
  }

  /** Returns the copy with this barcode that anybody can still have. */
  labelled(barcode: string | null | undefined): ReferenceCopy | undefined {
    return this.copies.find(
      (copy) => copy.barcode !== null && copy.barcode === barcode && copy.deletedAt === null,
    );
  }

  /** Refusal of a barcode that another copy has. */
  taken(barcode: string | null | undefined, bookId?: number): Verdict | undefined {
    const holder = this.labelled(barcode);
    if (!holder || holder.id === bookId) return undefined;
    return refused('BARCODE_TAKEN', { bookId: holder.id, bookInfoId: holder.bookInfoId });
  }

  newCopies(
    bookInfoId: number,
    count: number,
    barcodes: readonly string[] = [],
    kind = 'book',
  ): ReferenceCopy[] {
    const made: ReferenceCopy[] = [];
    for (let index = 0; index < count; index += 1)
      made.push({
        id: this.next.book++,
        bookInfoId,
        status: 'AVAILABLE',
        kind,
        barcode: barcodes[index] ?? null,
        deletedAt: null,
      });
    this.copies.push(...made);
    return made;
  }

  authorId(name: string): number {
    const known = this.authors.find((author) => author.name === name);
    if (known) return known.id;
    const author = { id: this.next.author++, name };
    this.authors.push(author);
    return author.id;
  }

  /** Back to its place in line, without a copy. */
  requeue(hold: ReferenceHold | undefined): string[] {
    if (!hold) return [];
    this.holds = replaced(this.holds, {
      ...hold,
      status: 'WAITING',
      bookId: null,
      readyAt: null,
      expiresAt: null,
    });
    return ['hold.requeued'];
  }
}
