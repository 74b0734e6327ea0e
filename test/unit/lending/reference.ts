import { isDeepStrictEqual } from 'node:util';
import type { CopyStatus, HoldStatus, LendingCommand } from '../../../shared/lending/commands';
import { doneBy, refused, type Verdict } from '../verdict';
import { decidePolicy, ReferenceCalendar } from './reference-calendar';
import { ReferenceLoanRules } from './reference-loan-rules';
import {
  borrowView,
  copyView,
  isDue,
  placedHold,
  placedHoldView,
  relabelled,
  titleView,
  type ReferenceBorrow,
  type ReferenceCopy,
  type ReferenceHold,
  type ReferenceTitle,
} from './reference-rows';

/**
 * The rules of lending a second time, as naively as they can be written: plain arrays, everything
 * counted anew for every question, nothing shared with the product but the shape of commands. What
 * the product decides is held against it.
 */

type CommandOfType<Type extends LendingCommand['type']> = Extract<LendingCommand, { type: Type }>;

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

const done = doneBy('lending');
const replaced = <Row extends { readonly id: number }>(rows: Row[], row: Row): Row[] =>
  rows.map((other) => (other.id === row.id ? row : other));

export class Reference {
  titles: ReferenceTitle[] = [];
  copies: ReferenceCopy[] = [];
  borrows: ReferenceBorrow[] = [];
  /** In the order in which they were placed; the line of a title is what waits here. */
  holds: ReferenceHold[] = [];
  authors: { readonly id: number; readonly name: string }[] = [];
  readonly loanRules: ReferenceLoanRules;
  readonly calendar = new ReferenceCalendar();

  constructor(
    private readonly rules: ReferenceRules,
    private readonly usernameOf: (userId: number) => string,
    private readonly next: NextIds = { author: 1, 'book-info': 1, book: 1, borrow: 1, hold: 1 },
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

  /** Those who wait for a title, first come first served. */
  line(bookInfoId: number): ReferenceHold[] {
    return this.holds.filter((hold) => hold.bookInfoId === bookInfoId && hold.status === 'WAITING');
  }

  decide(command: LendingCommand, now: Date): Verdict {
    switch (command.type) {
      case 'lending.register-book-info':
        return this.register(command, now);
      case 'lending.update-book-info':
        return this.update(command, now);
      case 'lending.delete-book-info':
        return this.deleteTitle(command, now);
      case 'lending.add-copies':
        return this.addCopies(command, now);
      case 'lending.set-copy-status':
        return this.setStatus(command, now);
      case 'lending.delete-copy':
        return this.deleteCopy(command, now);
      case 'lending.borrow-book':
        return this.borrow(command, now);
      case 'lending.return-book':
        return this.giveBack(command, now);
      case 'lending.renew-borrow':
        return this.renew(command, now);
      case 'lending.place-hold':
        return this.placeHold(command, now);
      case 'lending.cancel-hold':
        return this.cancelHold(command, now);
      case 'lending.expire-hold':
        return this.expireHold(command, now);
      case 'lending.remind-borrower':
        return this.remind(command, now);
      default:
        return decidePolicy(this, command, now);
    }
  }

  private kindOfCopy(bookId: number): string {
    return this.copies.find(({ id }) => id === bookId)?.kind ?? '';
  }

  private live(bookInfoId: number): ReferenceTitle | undefined {
    return this.titles.find(({ id, deletedAt }) => id === bookInfoId && deletedAt === null);
  }

  private copyOf(bookInfoId: number, bookId: number): ReferenceCopy | undefined {
    return this.copies.find(
      (copy) => copy.id === bookId && copy.bookInfoId === bookInfoId && copy.deletedAt === null,
    );
  }

  private openOf(bookId: number): ReferenceBorrow | undefined {
    return this.borrows.find((borrow) => borrow.bookId === bookId && borrow.status === 'BORROWED');
  }

  private readyOf(bookId: number): ReferenceHold | undefined {
    return this.holds.find((hold) => hold.bookId === bookId && hold.status === 'READY');
  }

  private openHold(userId: number, bookInfoId: number): ReferenceHold | undefined {
    return this.holds.find(
      (hold) => hold.userId === userId && hold.bookInfoId === bookInfoId && hold.closedAt === null,
    );
  }

  private available(bookInfoId: number): ReferenceCopy[] {
    return this.copies
      .filter(
        (copy) =>
          copy.bookInfoId === bookInfoId && copy.deletedAt === null && copy.status === 'AVAILABLE',
      )
      .sort((a, b) => a.id - b.id);
  }

  private give(bookId: number, status: CopyStatus): void {
    this.copies = this.copies.map((copy) => (copy.id === bookId ? { ...copy, status } : copy));
  }

  /**
   * As long as a copy is available and somebody waits, the first gets it. Returns the events of
   * that.
   */
  private settle(bookInfoId: number, now: Date): string[] {
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
  private closeHold(hold: ReferenceHold, status: HoldStatus, now: Date): void {
    if (
      hold.status === 'READY' &&
      hold.bookId !== null &&
      this.copies.some(({ id, status: of }) => id === hold.bookId && of === 'ON_HOLD')
    )
      this.give(hold.bookId, 'AVAILABLE');
    this.holds = replaced(this.holds, { ...hold, status, closedAt: now });
  }

  private titleView(title: ReferenceTitle): object {
    return titleView(title, this.stock(title.id));
  }

  private borrowView(borrow: ReferenceBorrow, now: Date): object {
    return borrowView(borrow, now, {
      username: this.usernameOf(borrow.userId),
      title: this.titles.find(({ id }) => id === borrow.bookInfoId)?.title,
    });
  }

  /** The copy with this barcode that anybody can still have. */
  private labelled(barcode: string | null | undefined): ReferenceCopy | undefined {
    return this.copies.find(
      (copy) => copy.barcode !== null && copy.barcode === barcode && copy.deletedAt === null,
    );
  }

  /** Refusal of a barcode that another copy has. */
  private taken(barcode: string | null | undefined, bookId?: number): Verdict | undefined {
    const holder = this.labelled(barcode);
    if (!holder || holder.id === bookId) return undefined;
    return refused('BARCODE_TAKEN', { bookId: holder.id, bookInfoId: holder.bookInfoId });
  }

  private newCopies(
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

  private authorId(name: string): number {
    const known = this.authors.find((author) => author.name === name);
    if (known) return known.id;
    const author = { id: this.next.author++, name };
    this.authors.push(author);
    return author.id;
  }

  private register(
    { key, payload }: CommandOfType<'lending.register-book-info'>,
    now: Date,
  ): Verdict {
    const { copies, onDuplicate, ...attributes } = payload;
    const owner =
      attributes.isbn === null
        ? undefined
        : this.titles.find(({ isbn, deletedAt }) => isbn === attributes.isbn && deletedAt === null);
    if (owner && onDuplicate === 'reject')
      return refused('ISBN_ALREADY_REGISTERED', { bookInfoId: owner.id });
    if (owner && key !== `book-info:${owner.id}`)
      return { kind: 'forward', key: `book-info:${owner.id}` };
    if (owner) {
      this.newCopies(owner.id, copies);
      const settled = this.settle(owner.id, now);
      return done(this.titleView(owner), copies > 0 ? ['copies.added', ...settled] : []);
    }
    if (attributes.isbn !== null && key !== `isbn:${attributes.isbn}`)
      return { kind: 'forward', key: `isbn:${attributes.isbn}` };
    const authorId = this.authorId(attributes.author);
    const title = {
      id: this.next['book-info']++,
      ...attributes,
      authorId,
      borrowCount: 0,
      version: 1,
      createdAt: now,
      modifiedAt: now,
      deletedAt: null,
    };
    this.titles.push(title);
    this.newCopies(title.id, copies);
    return done(
      this.titleView(title),
      copies > 0 ? ['book-info.created', 'copies.added'] : ['book-info.created'],
      true,
    );
  }

  private update(
    { payload: { bookInfoId, changes, ifVersion } }: CommandOfType<'lending.update-book-info'>,
    now: Date,
  ): Verdict {
    const title = this.live(bookInfoId);
    if (!title) return refused('BOOK_INFO_NOT_FOUND');
    if (ifVersion !== null && ifVersion !== title.version) return refused('VERSION_MISMATCH');
    const holder = this.titles.find(
      ({ id, isbn, deletedAt }) =>
        id !== bookInfoId && deletedAt === null && isbn !== null && isbn === changes.isbn,
    );
    if (holder) return refused('ISBN_ALREADY_REGISTERED', { bookInfoId: holder.id });
    const wished = { ...title, ...changes };
    const same = (['title', 'author', 'isbn', 'publicationDate', 'bookImg'] as const).every(
      (name) => wished[name] === title[name],
    );
    if (same) return done(this.titleView(title), []);
    const changed = {
      ...wished,
      authorId: this.authorId(wished.author),
      version: title.version + 1,
      modifiedAt: now,
    };
    this.titles = replaced(this.titles, changed);
    return done(this.titleView(changed), ['book-info.updated']);
  }

  private deleteTitle(
    { payload: { bookInfoId } }: CommandOfType<'lending.delete-book-info'>,
    now: Date,
  ): Verdict {
    const title = this.live(bookInfoId);
    if (!title) return refused('BOOK_INFO_NOT_FOUND');
    const open = this.borrows
      .filter((borrow) => borrow.bookInfoId === bookInfoId && borrow.status === 'BORROWED')
      .map(({ id }) => id);
    if (open.length > 0)
      return refused('BOOK_INFO_ON_LOAN', { bookInfoId, borrowId: Math.min(...open) });
    const held = this.holds.filter(
      (hold) => hold.bookInfoId === bookInfoId && hold.closedAt === null,
    );
    for (const hold of held) this.closeHold(hold, 'CANCELLED', now);
    this.titles = replaced(this.titles, { ...title, deletedAt: now });
    this.copies = this.copies.map((copy) =>
      copy.bookInfoId === bookInfoId && copy.deletedAt === null ? { ...copy, barcode: null } : copy,
    );
    return done(null, [...held.map(() => 'hold.cancelled'), 'book-info.deleted']);
  }

  private addCopies(
    { payload: { bookInfoId, count, barcodes, kind } }: CommandOfType<'lending.add-copies'>,
    now: Date,
  ): Verdict {
    if (!this.live(bookInfoId)) return refused('BOOK_INFO_NOT_FOUND');
    const [taken] = (barcodes ?? []).flatMap((barcode) => this.taken(barcode) ?? []);
    if (taken) return taken;
    const made = this.newCopies(bookInfoId, count, barcodes, kind).map(({ id }) => id);
    const settled = this.settle(bookInfoId, now);
    const items = this.copies.filter(({ id }) => made.includes(id)).map((copy) => copyView(copy));
    return done(
      { bookInfoId, addedCount: count, ...this.stock(bookInfoId), items },
      ['copies.added', ...settled],
      true,
    );
  }

  private setStatus({ payload }: CommandOfType<'lending.set-copy-status'>, now: Date): Verdict {
    const { bookInfoId, bookId } = payload;
    if (!this.live(bookInfoId)) return refused('BOOK_INFO_NOT_FOUND');
    const copy = this.copyOf(bookInfoId, bookId);
    if (!copy) return refused('BOOK_NOT_FOUND');
    const { status = copy.status } = payload;
    const borrow = this.openOf(bookId);
    if (borrow && status !== 'LOST' && status !== 'ON_LOAN')
      return refused('COPY_ON_LOAN', { borrowId: borrow.id });
    const hold = this.readyOf(bookId);
    if (hold && status === 'AVAILABLE') return refused('COPY_ON_HOLD', { holdId: hold.id });
    const taken = this.taken(payload.barcode, bookId);
    if (taken) return taken;
    const labelled = relabelled(copy, payload);
    this.copies = replaced(this.copies, labelled);
    if (copy.status === status)
      return done(copyView(labelled), isDeepStrictEqual(labelled, copy) ? [] : ['copies.changed']);
    if (borrow) this.borrows = replaced(this.borrows, { ...borrow, status: 'LOST' });
    this.give(bookId, status);
    const requeued = this.requeue(hold);
    const settled = this.settle(bookInfoId, now);
    const changed = this.copies.find(({ id }) => id === bookId) as ReferenceCopy;
    return done(copyView(changed), [
      'copies.changed',
      ...(borrow ? ['borrow.lost'] : []),
      ...requeued,
      ...settled,
    ]);
  }

  /** Back to its place in line, without a copy. */
  private requeue(hold: ReferenceHold | undefined): string[] {
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

  private deleteCopy(
    { payload: { bookInfoId, bookId } }: CommandOfType<'lending.delete-copy'>,
    now: Date,
  ): Verdict {
    if (!this.live(bookInfoId)) return refused('BOOK_INFO_NOT_FOUND');
    const copy = this.copyOf(bookInfoId, bookId);
    if (!copy) return refused('BOOK_NOT_FOUND');
    const borrow = this.openOf(bookId);
    if (borrow) return refused('COPY_ON_LOAN', { borrowId: borrow.id });
    this.copies = replaced(this.copies, { ...copy, deletedAt: now });
    return done(null, [
      'copies.changed',
      ...this.requeue(this.readyOf(bookId)),
      ...this.settle(bookInfoId, now),
    ]);
  }

  private copyFor(
    bookInfoId: number,
    wanted: ReferenceCopy | undefined,
    hold: ReferenceHold | undefined,
  ): ReferenceCopy | undefined {
    const aside =
      hold?.status === 'READY' ? this.copies.find(({ id }) => id === hold.bookId) : undefined;
    if (!wanted) return aside ?? this.available(bookInfoId)[0];
    return wanted.status === 'AVAILABLE' || wanted.id === aside?.id ? wanted : undefined;
  }

  private borrow(
    { actor, payload: { bookInfoId, bookId } }: CommandOfType<'lending.borrow-book'>,
    now: Date,
  ): Verdict {
    const userId = actor.userId ?? 0;
    const title = this.live(bookInfoId);
    if (!title) return refused('BOOK_INFO_NOT_FOUND');
    const wanted = bookId === null ? undefined : this.copyOf(bookInfoId, bookId);
    if (bookId !== null && !wanted) return refused('BOOK_NOT_FOUND');
    const mine = this.borrows.filter(
      (borrow) => borrow.userId === userId && borrow.status === 'BORROWED',
    );
    const already = mine.find((borrow) => borrow.bookInfoId === bookInfoId);
    if (already) return refused('ALREADY_BORROWED', { borrowId: already.id });
    const hold = this.openHold(userId, bookInfoId);
    const copy = this.copyFor(bookInfoId, wanted, hold);
    if (!copy) return refused(wanted ? 'COPY_NOT_AVAILABLE' : 'OUT_OF_STOCK', { bookInfoId });
    const blocked = this.loanRules.blocked(userId, copy.kind, this.borrows, now);
    if (blocked) return blocked;
    const kinds = mine.map((borrow) => this.kindOfCopy(borrow.bookId));
    if (this.loanRules.hasEnough(userId, copy.kind, kinds)) return refused('LOAN_LIMIT_REACHED');
    const borrow: ReferenceBorrow = {
      ...{
        id: this.next.borrow++,
        userId,
        bookInfoId,
        bookId: copy.id,
        status: 'BORROWED',
        returnedAt: null,
        renewalCount: 0,
        reminder: null,
        borrowedAt: now,
      },
      dueAt: this.calendar.end(now, this.loanRules.loanDays(userId, copy.kind)),
    };
    this.borrows.push(borrow);
    this.copies = replaced(this.copies, { ...copy, status: 'ON_LOAN' });
    this.titles = replaced(this.titles, { ...title, borrowCount: title.borrowCount + 1 });
    if (hold) this.closeHold(hold, 'FULFILLED', now);
    return done(
      this.borrowView(borrow, now),
      ['borrow.created', ...(hold ? ['hold.fulfilled'] : []), ...this.settle(bookInfoId, now)],
      true,
    );
  }

  private giveBack({ actor, payload }: CommandOfType<'lending.return-book'>, now: Date): Verdict {
    const { bookInfoId, borrowId, bookId } = payload;
    const meant = this.borrows.find((borrow) => {
      if (borrowId !== null) return borrow.id === borrowId;
      if (borrow.status !== 'BORROWED') return false;
      return bookId !== null
        ? borrow.bookId === bookId
        : borrow.userId === actor.userId && borrow.bookInfoId === bookInfoId;
    });
    if (meant?.bookInfoId !== bookInfoId || !(actor.isAdmin || meant.userId === actor.userId))
      return refused('BORROW_NOT_FOUND');
    if (meant.status !== 'BORROWED') return refused('ALREADY_RETURNED', { borrowId: meant.id });
    const returned: ReferenceBorrow = { ...meant, status: 'RETURNED', returnedAt: now };
    this.borrows = replaced(this.borrows, returned);
    this.give(meant.bookId, 'AVAILABLE');
    return done(this.borrowView(returned, now), [
      'borrow.returned',
      ...this.settle(bookInfoId, now),
    ]);
  }

  private renew(
    { actor, payload: { bookInfoId, borrowId } }: CommandOfType<'lending.renew-borrow'>,
    now: Date,
  ): Verdict {
    const borrow = this.borrows.find(({ id }) => id === borrowId);
    if (borrow?.bookInfoId !== bookInfoId || !(actor.isAdmin || borrow.userId === actor.userId))
      return refused('BORROW_NOT_FOUND');
    if (borrow.status !== 'BORROWED') return refused('ALREADY_RETURNED', { borrowId });
    const kind = this.kindOfCopy(borrow.bookId);
    if (borrow.renewalCount >= this.loanRules.renewalsMax(borrow.userId, kind))
      return refused('RENEWAL_LIMIT_REACHED', { borrowId });
    if (this.line(bookInfoId).length > 0) return refused('HELD_BY_OTHERS', { bookInfoId });
    const from = borrow.dueAt > now ? borrow.dueAt : now;
    const renewed = {
      ...borrow,
      dueAt: this.calendar.end(from, this.loanRules.loanDays(borrow.userId, kind)),
      renewalCount: borrow.renewalCount + 1,
      reminder: null,
    };
    this.borrows = replaced(this.borrows, renewed);
    return done(this.borrowView(renewed, now), ['borrow.renewed']);
  }

  private remind(
    { payload: { bookInfoId, borrowId, reminder } }: CommandOfType<'lending.remind-borrower'>,
    now: Date,
  ): Verdict {
    const borrow = this.borrows.find(
      ({ id, bookInfoId: of, status }) =>
        id === borrowId && of === bookInfoId && status === 'BORROWED',
    );
    if (!borrow || !isDue(borrow, reminder, now, this.rules.dueSoonDays)) return done(null, []);
    this.borrows = replaced(this.borrows, { ...borrow, reminder });
    return done(null, [`borrow.${reminder}`]);
  }

  private placeHold(
    { actor, payload: { bookInfoId } }: CommandOfType<'lending.place-hold'>,
    now: Date,
  ): Verdict {
    const userId = actor.userId ?? 0;
    if (!this.live(bookInfoId)) return refused('BOOK_INFO_NOT_FOUND');
    const open = this.openHold(userId, bookInfoId);
    if (open) return refused('ALREADY_HELD', { holdId: open.id });
    const borrow = this.borrows.find(
      (one) => one.userId === userId && one.bookInfoId === bookInfoId && one.status === 'BORROWED',
    );
    if (borrow) return refused('ALREADY_BORROWED', { borrowId: borrow.id });
    if (this.available(bookInfoId).length > 0) return refused('STOCK_AVAILABLE', { bookInfoId });
    const [first] = this.copies.filter(
      (copy) => copy.bookInfoId === bookInfoId && copy.deletedAt === null,
    );
    const kind = first?.kind ?? 'book';
    const blocked = this.loanRules.blocked(userId, kind, this.borrows, now);
    if (blocked) return blocked;
    const holdsMax = this.loanRules.holdsMax(userId, kind);
    const mine = this.holds.filter((hold) => hold.userId === userId && hold.closedAt === null);
    if (holdsMax && mine.length >= holdsMax) return refused('HOLD_LIMIT_REACHED');
    const hold = placedHold(this.next.hold++, userId, bookInfoId, now);
    this.holds.push(hold);
    const view = placedHoldView(hold, {
      username: this.usernameOf(userId),
      title: this.live(bookInfoId)?.title,
      position: this.line(bookInfoId).length,
    });
    return done(view, ['hold.placed'], true);
  }

  private cancelHold(
    { actor, payload: { bookInfoId, holdId } }: CommandOfType<'lending.cancel-hold'>,
    now: Date,
  ): Verdict {
    const hold = this.holds.find(({ id }) => id === holdId);
    if (
      hold?.closedAt !== null ||
      hold.bookInfoId !== bookInfoId ||
      !(actor.isAdmin || hold.userId === actor.userId)
    )
      return refused('HOLD_NOT_FOUND');
    this.closeHold(hold, 'CANCELLED', now);
    return done(null, ['hold.cancelled', ...this.settle(bookInfoId, now)]);
  }

  private expireHold(
    { payload: { bookInfoId, holdId } }: CommandOfType<'lending.expire-hold'>,
    now: Date,
  ): Verdict {
    const hold = this.holds.find(({ id }) => id === holdId);
    if (
      hold?.status !== 'READY' ||
      hold.bookInfoId !== bookInfoId ||
      (hold.expiresAt as Date) > now
    )
      return done(null, []);
    this.closeHold(hold, 'EXPIRED', now);
    return done(null, ['hold.expired', ...this.settle(bookInfoId, now)]);
  }
}
