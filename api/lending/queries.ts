import { col, where } from 'sequelize';
import {
  calendarView,
  NO_CALENDAR,
  type CalendarView,
  type OpenDays,
} from '../../shared/lending/calendar';
import { CALENDAR, LOAN_RULES, type CopyStatus } from '../../shared/lending/commands';
import { loanRulesView, type LoanRule, type LoanRulesView } from '../../shared/lending/loan-rules';
import { Book, BookInfo, LendingPolicy } from '../../shared/lending/tables';
import { copyView, type BookInfoView, type CopyView } from '../../shared/lending/views';
import { limitsOf, type Page } from '../http/requests/paging';
import { countUpTo, withTotal, type Found } from '../reads/found';
import { titleAttributes, titleView, withAuthor, type StoredTitle } from './rows';

/**
 * What reads of titles and copies ask of the database. Ids are numbers and instants are Dates,
 * whatever the dialect.
 */

/** Returns a title that is not deleted. */
export async function findTitle(bookInfoId: number): Promise<BookInfoView | null> {
  const row = await BookInfo.findOne({
    attributes: titleAttributes,
    include: withAuthor,
    where: { id: bookInfoId, deletedAt: null },
    raw: true,
  });
  return row && titleView(row as unknown as StoredTitle);
}

/** Attributes' version and stock of a title that is not deleted. */
export async function findTitleNumbers(
  bookInfoId: number,
): Promise<{ version: number; totalStock: number; availableStock: number } | null> {
  return BookInfo.findOne({
    attributes: ['version', 'totalStock', 'availableStock'],
    where: { id: bookInfoId, deletedAt: null },
    raw: true,
  });
}

const copyAttributes = ['id', 'bookInfoId', 'status', 'kind', 'barcode'];

export interface CopyFilters extends Page {
  readonly available?: boolean;
  readonly status?: CopyStatus;
}

/** Returns the copies of a title that are not deleted, by id. */
export async function findCopies(
  bookInfoId: number,
  filters: CopyFilters,
): Promise<Found<CopyView>> {
  const { available, status } = filters;
  const conditions = {
    bookInfoId,
    deletedAt: null,
    ...(available === undefined ? {} : { available }),
    ...(status === undefined ? {} : { status }),
  };
  const rows = await Book.findAll({
    attributes: copyAttributes,
    where: conditions,
    order: ['id'],
    ...limitsOf(filters),
    raw: true,
  });
  return withTotal(filters, rows.map(copyView), () => countUpTo(Book, conditions));
}

/**
 * Returns the title that a copy belongs to, also when the copy is deleted: commands of a copy go to
 * its title's partition.
 */
export async function titleOfCopy(bookId: number): Promise<number | null> {
  const row = await Book.findOne({ attributes: ['bookInfoId'], where: { id: bookId }, raw: true });
  return row?.bookInfoId ?? null;
}

/** A copy, and the title that it belongs to. */
export type TitledCopy = CopyView & { readonly title: string };

/** Returns the copy with a barcode, of a title that is not deleted. */
export async function findCopyByBarcode(barcode: string): Promise<TitledCopy | null> {
  const row = await Book.findOne({
    attributes: [...copyAttributes, [col('bookInfo.book_title'), 'title']],
    include: { model: BookInfo, as: 'bookInfo', attributes: [], where: { deletedAt: null } },
    where: where(col('live_barcode'), barcode),
    raw: true,
  });
  const found = row as unknown as (Parameters<typeof copyView>[0] & { title: string }) | null;
  return found && { ...copyView(found), title: found.title };
}

/** Returns the loan rules; version 0 before any were set. */
export async function findLoanRules(): Promise<LoanRulesView> {
  const row = await LendingPolicy.findByPk(LOAN_RULES, { raw: true });
  if (!row) return loanRulesView({ rules: [], version: 0, modifiedAt: null });
  const { version, content, modifiedAt } = row;
  const rules = JSON.parse(content) as LoanRule[];
  return loanRulesView({ rules, version, modifiedAt: new Date(modifiedAt) });
}

/** Returns the calendar; version 0 before one was set. */
export async function findCalendar(): Promise<CalendarView> {
  const row = await LendingPolicy.findByPk(CALENDAR, { raw: true });
  if (!row) return calendarView(NO_CALENDAR);
  const { version, content, modifiedAt } = row;
  const openDays = JSON.parse(content) as OpenDays;
  return calendarView({ ...openDays, version, modifiedAt: new Date(modifiedAt) });
}
