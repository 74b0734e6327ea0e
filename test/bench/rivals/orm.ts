import { QueryTypes, type Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { Author, BookInfo, BookUser, Book } from '../../../shared/lending/tables';
import type { Answer, Reader, Rival } from './rival';

/**
 * Borrows as most programs do: in the request, in a transaction of its own. Two kinds, well tuned:
 *
 * - `lock`: SELECT ... FOR UPDATE of the title, so the next client waits for COMMIT
 * - `conditional`: an UPDATE lowers the stock while there is some, as the last statement before
 *   COMMIT, so the title is locked briefly. SKIP LOCKED takes a copy that nobody waits for.
 */
type Kind = 'lock' | 'conditional';

const LOAN_MS = 14 * 24 * 3600 * 1000;
/** A deadlock or a lock that was waited for in vain is tried again, so often. */
const TRIES_MAX = 5;

class Refused extends Error {
  constructor(readonly answer: Answer) {
    super('refused');
  }
}

const refused = (status: number, code: string): Refused =>
  new Refused({ status, body: { status, code } });
const missing = (): Refused => refused(404, 'BOOK_INFO_NOT_FOUND');
const outOfStock = (): Refused => refused(409, 'OUT_OF_STOCK');

const codeOf = (error: unknown): string =>
  (error as { original?: { code?: string } }).original?.code ?? '';

/** Carries work out in a transaction; again when the database had to choose a victim. */
async function carryOut(
  database: Sequelize,
  work: (transaction: Transaction) => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await database.transaction(work);
    } catch (error) {
      if (error instanceof Refused) return error.answer;
      const code = codeOf(error);
      if (code === 'ER_DUP_ENTRY') return refused(409, 'ALREADY_BORROWED').answer;
      if (tries === TRIES_MAX || (code !== 'ER_LOCK_DEADLOCK' && code !== 'ER_LOCK_WAIT_TIMEOUT'))
        throw error;
    }
  }
}

const openBorrow = (userId: number, bookInfoId: number) => ({
  userId,
  bookInfoId,
  returnedAt: null,
});

async function newBorrow(
  reader: Reader,
  title: { id: number; title: string },
  bookId: number,
  transaction: Transaction,
): Promise<Answer> {
  const { userId, username } = reader;
  const borrowedAt = new Date();
  const dueAt = new Date(borrowedAt.getTime() + LOAN_MS);
  // The table gives the id, which the type does not know.
  const row = {
    userId,
    bookId,
    bookInfoId: title.id,
    status: 'BORROWED',
    borrowedAt,
    dueAt,
  } as unknown as BookUser;
  const { id } = await BookUser.create(row, { transaction });
  const body = {
    borrowId: id,
    userId,
    username,
    bookInfoId: title.id,
    bookId,
    title: title.title,
    borrowedAt,
    dueAt,
    returnedAt: null,
    renewalCount: 0,
    overdue: false,
    status: 'BORROWED',
  };
  return { status: 201, body };
}

const LOAN = { available: false, status: 'ON_LOAN' } as const;

async function borrowLocking(
  reader: Reader,
  bookInfoId: number,
  transaction: Transaction,
): Promise<Answer> {
  const title = await BookInfo.findOne({
    where: { id: bookInfoId, deletedAt: null },
    lock: true,
    transaction,
  });
  if (!title) throw missing();
  if (
    await BookUser.findOne({
      where: openBorrow(reader.userId, bookInfoId),
      attributes: ['id'],
      transaction,
    })
  )
    throw refused(409, 'ALREADY_BORROWED');
  if (title.availableStock === 0) throw outOfStock();
  const copy = await Book.findOne({
    where: { bookInfoId, available: true },
    order: ['id'],
    transaction,
  });
  if (!copy) throw outOfStock();
  await copy.update(LOAN, { transaction });
  await title.update(
    { availableStock: title.availableStock - 1, borrowCount: title.borrowCount + 1 },
    { transaction },
  );
  return newBorrow(reader, title, copy.id, transaction);
}

async function borrowConditionally(
  database: Sequelize,
  reader: Reader,
  bookInfoId: number,
  transaction: Transaction,
): Promise<Answer> {
  const title = await BookInfo.findOne({
    where: { id: bookInfoId, deletedAt: null },
    attributes: ['id', 'title'],
    transaction,
  });
  if (!title) throw missing();
  const copy = await Book.findOne({
    where: { bookInfoId, available: true },
    attributes: ['id'],
    order: ['id'],
    lock: true,
    skipLocked: true,
    transaction,
  });
  if (!copy) throw outOfStock();
  await Book.update(LOAN, { where: { id: copy.id }, transaction });
  const answer = await newBorrow(reader, title, copy.id, transaction);
  const taken =
    'UPDATE book_info SET available_stock = available_stock - 1, borrow_count = borrow_count + 1 WHERE id = :bookInfoId AND available_stock > 0';
  const [, changed] = await database.query(taken, {
    type: QueryTypes.UPDATE,
    replacements: { bookInfoId },
    transaction,
  });
  if (changed === 0) throw outOfStock();
  return answer;
}

function borrow(
  kind: Kind,
  database: Sequelize,
  reader: Reader,
  bookInfoId: number,
): Promise<Answer> {
  return carryOut(database, (transaction) =>
    kind === 'lock'
      ? borrowLocking(reader, bookInfoId, transaction)
      : borrowConditionally(database, reader, bookInfoId, transaction),
  );
}

/** The same for both kinds, which order their locks as they do when they borrow. */
function giveBack(
  kind: Kind,
  database: Sequelize,
  reader: Reader,
  bookInfoId: number,
): Promise<Answer> {
  return carryOut(database, async (transaction) => {
    if (
      kind === 'lock' &&
      !(await BookInfo.findOne({
        where: { id: bookInfoId },
        attributes: ['id'],
        lock: true,
        transaction,
      }))
    )
      throw missing();
    const open = await BookUser.findOne({
      where: openBorrow(reader.userId, bookInfoId),
      lock: true,
      transaction,
    });
    if (!open) throw refused(404, 'BORROW_NOT_FOUND');
    await open.update({ status: 'RETURNED', returnedAt: new Date() }, { transaction });
    await Book.update(
      { available: true, status: 'AVAILABLE' },
      { where: { id: open.bookId }, transaction },
    );
    await BookInfo.increment({ availableStock: 1 }, { where: { id: bookInfoId }, transaction });
    return { status: 200, body: open.toJSON() };
  });
}

/** A title as the service shows it, read from MySQL. */
export async function readTitle(id: number): Promise<Answer> {
  const row = await BookInfo.findOne({ where: { id, deletedAt: null }, raw: true });
  const author = row && (await Author.findByPk(row.authorId, { raw: true }));
  if (!row || !author) return missing().answer;
  const {
    title,
    authorId,
    isbn,
    publicationDate,
    bookImg,
    totalStock,
    availableStock,
    version,
    createdAt,
    modifiedAt,
  } = row;
  return {
    status: 200,
    body: {
      bookInfoId: id,
      title,
      author: author.name,
      authorId,
      isbn,
      publicationDate,
      bookImg,
      totalStock,
      availableStock,
      version,
      createdAt,
      modifiedAt,
    },
  };
}

/** The rival by way of Sequelize. */
export const ormRival = (kind: Kind, database: Sequelize): Rival => ({
  borrow: (reader, bookInfoId) => borrow(kind, database, reader, bookInfoId),
  giveBack: (reader, bookInfoId) => giveBack(kind, database, reader, bookInfoId),
  read: readTitle,
});
