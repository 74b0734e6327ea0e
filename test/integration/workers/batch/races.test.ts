import type { Sequelize } from 'sequelize-typescript';
import { COMMAND_FAILED } from '../../../../shared/command';
import { User } from '../../../../shared/identity/tables';
import { Author, Book, BookInfo, BookUser } from '../../../../shared/lending/tables';
import type { BatchTransaction } from '../../../../workers/batch/sql/transaction';
import { bookInfoKey } from '../../../../shared/lending/commands';
import { partitionOf } from '../../../../shared/messaging/topology';
import {
  addCopies,
  borrow,
  giveBack,
  register,
  update,
} from '../../../support/models/lending/commands';
import { waitUntil } from '../../../support/wait';
import { deadLettersOf } from './dead-letters';
import { Rig } from './rig';
import { emptyDatabase } from '../../../support/servers/database';
import { newIsbn, newTitle, newUser, storedOutcomes, titleRows } from './rows';

/**
 * What only a server lets happen: somebody else writes between the two round trips of a batch, or
 * its connection dies. On SQLite a batch has the one writer's turn from its beginning to its end.
 */

let database: Sequelize;
let rig: Rig;
beforeAll(async () => {
  database = await emptyDatabase('mysql');
});
beforeEach(() => {
  rig = new Rig({ database });
});

/** Counts the tries, and steps in between the round trips of the first one. */
function stepIn(act: (transaction: BatchTransaction) => Promise<unknown>): {
  readonly tries: () => number;
} {
  let tries = 0;
  rig.hooks.between = async (transaction) => {
    if ((tries += 1) === 1) await act(transaction);
  };
  return { tries: () => tries };
}

/** Ids for rows that no worker makes. */
let foreignId = 2 ** 45;
const newForeignId = () => (foreignId += 1);

async function insertTitle(isbn: string | null, author = `foreign ${foreignId}`): Promise<number> {
  const [id, now] = [newForeignId(), new Date()];
  await Author.bulkCreate([{ id, name: author, searchName: author }]);
  const text = {
    title: 'Foreign',
    searchTitle: 'foreign',
    isbn,
    bookImg: null,
    publicationDate: null,
  };
  await BookInfo.bulkCreate([
    {
      id,
      ...text,
      authorId: id,
      totalStock: 0,
      availableStock: 0,
      borrowCount: 0,
      version: 1,
      createdAt: now,
      modifiedAt: now,
      deletedAt: null,
    },
  ]);
  return id;
}

async function insertBorrow(userId: number, bookInfoId: number, bookId: number): Promise<number> {
  const [id, now] = [newForeignId(), new Date()];
  await User.bulkCreate(
    [
      {
        id: userId,
        username: 'foreign',
        role: 'user',
        createdAt: now,
        loginName: null,
        passwordHash: null,
      },
    ],
    { ignoreDuplicates: true },
  );
  await BookUser.bulkCreate([
    {
      id,
      userId,
      bookInfoId,
      bookId,
      status: 'BORROWED',
      borrowedAt: now,
      dueAt: now,
      returnedAt: null,
      renewalCount: 0,
    },
  ]);
  return id;
}

describe('a row that another program writes during a batch', () => {
  it('with the ISBN of an update makes the batch decide again and refuse the update', async () => {
    const { bookInfoId } = await newTitle(rig, 0);
    const isbn = newIsbn();
    let foreign = 0;
    const { tries } = stepIn(async () => (foreign = await insertTitle(isbn)));
    const given = update(bookInfoId, { isbn });
    await rig.process([given]);
    expect(tries()).toBe(2);
    expect(rig.endings([given])).toEqual(['ISBN_ALREADY_REGISTERED']);
    expect(rig.replied().get(given.commandId)?.ending).toMatchObject({
      refusal: { ids: { bookInfoId: foreign } },
    });
    expect((await titleRows(bookInfoId))[0]).toMatchObject({ isbn: null, version: 1 });
  });

  it('with the ISBN of a new title adds the copies to the existing title, in its queue', async () => {
    const isbn = newIsbn();
    let foreign = 0;
    stepIn(async () => (foreign = await insertTitle(isbn)));
    const given = register({ isbn, copies: 2 });
    await rig.process([given]);
    expect(rig.of('forward').map(({ envelope }) => envelope.key)).toEqual([`book-info:${foreign}`]);
    await rig.process(rig.of('forward').map(({ envelope }) => envelope));
    expect(rig.result(given)).toMatchObject({ bookInfoId: foreign, totalStock: 2 });
  });

  it('with the barcode of a new copy makes the batch decide again and refuse the copy', async () => {
    const [title, other] = [await newTitle(rig, 0), await newTitle(rig, 0)];
    const [bookId, barcode] = [newForeignId(), `B${newForeignId()}`];
    const { tries } = stepIn(() =>
      Book.bulkCreate([
        {
          id: bookId,
          bookInfoId: other.bookInfoId,
          status: 'LOST',
          available: false,
          barcode,
          deletedAt: null,
        },
      ]),
    );
    const given = addCopies(title.bookInfoId, 1, [barcode]);
    await rig.process([given]);
    expect(tries()).toBe(2);
    expect(rig.endings([given])).toEqual(['BARCODE_TAKEN']);
    expect(rig.replied().get(given.commandId)?.ending).toMatchObject({
      refusal: { ids: { bookId, bookInfoId: other.bookInfoId } },
    });
    expect((await titleRows(title.bookInfoId))[0]).toMatchObject({ totalStock: 0 });
  });

  it('with the author of a new title is used as that author', async () => {
    const author = `Author ${newForeignId()}`;
    let foreign = 0;
    stepIn(async () => (foreign = await insertTitle(null, author)));
    const given = register({ author });
    await rig.process([given]);
    expect(rig.result(given)).toMatchObject({ author, authorId: foreign });
  });

  it('that lends the title to the same user has the borrow refused, and its neighbours have their effect once', async () => {
    const { bookInfoId, bookIds } = await newTitle(rig, 3);
    const [ann, bo] = [newUser(), newUser()];
    // The user is known before, or the batch would hold a lock on the row that the foreign borrow
    // refers to.
    await rig.process([giveBack(ann, bookInfoId)]);
    const foreignCopy = newForeignId();
    await Book.bulkCreate([
      { id: foreignCopy, bookInfoId, status: 'LOST', available: false, deletedAt: null },
    ]);
    let foreign = 0;
    const { tries } = stepIn(
      async () => (foreign = await insertBorrow(ann, bookInfoId, foreignCopy)),
    );
    const given = [borrow(bo, bookInfoId), borrow(ann, bookInfoId)];
    await rig.process(given);
    expect(tries()).toBe(2);
    expect(rig.endings(given)).toEqual(['created', 'ALREADY_BORROWED']);
    expect(rig.replied().get(given[1]?.commandId ?? '')?.ending).toMatchObject({
      refusal: { ids: { borrowId: foreign } },
    });
    expect(
      await BookUser.findAll({ where: { bookInfoId, bookId: bookIds }, raw: true }),
    ).toHaveLength(1);
  });

  it('that lends a copy which counts as available dead-letters the borrow: nobody gets the copy twice', async () => {
    const { bookInfoId, bookIds } = await newTitle(rig, 1);
    await insertBorrow(newUser(), bookInfoId, bookIds[0] ?? 0);
    const given = borrow(newUser(), bookInfoId);
    await rig.process([given]);
    expect(rig.endings([given])).toEqual([COMMAND_FAILED]);
    expect(await BookUser.count({ where: { bookId: bookIds[0] ?? 0 } })).toBe(1);
    expect((await deadLettersOf(given.key)).map(({ reason }) => reason)).toEqual([
      expect.stringContaining('Duplicate entry'),
    ]);
  });
});

describe('a connection that is killed', () => {
  const idOf = async (transaction: BatchTransaction) =>
    Number(
      (await transaction.run([{ sql: 'SELECT CONNECTION_ID() AS id', values: [] }]))[0]?.rows[0]
        ?.id,
    );
  const kill = (id: number) => database.query(`KILL ${id}`);
  const gone = (id: number) =>
    waitUntil(`connection ${id} is gone`, 10_000, async () => {
      const [rows] = await database.query(
        `SELECT id FROM information_schema.processlist WHERE id = ${id}`,
      );
      return rows.length === 0;
    });

  it('between the round trips loses nothing: the batch runs again on another connection', async () => {
    const { bookInfoId } = await newTitle(rig, 2);
    rig.calls.splice(0);
    const given = [
      borrow(newUser(), bookInfoId),
      borrow(newUser(), bookInfoId),
      borrow(newUser(), bookInfoId),
    ];
    const { tries } = stepIn(async (transaction) => {
      const id = await idOf(transaction);
      await kill(id);
      await gone(id);
    });
    await rig.process(given);
    expect(tries()).toBe(2);
    expect(rig.endings(given)).toEqual(['created', 'created', 'OUT_OF_STOCK']);
    expect(rig.kinds()).toEqual(['bump', 'reply', 'ack']);
    expect((await titleRows(bookInfoId))[0]).toMatchObject({ availableStock: 0, borrowCount: 2 });
  });

  it('while a statement runs loses nothing', async () => {
    const { bookInfoId } = await newTitle(rig, 1);
    const given = borrow(newUser(), bookInfoId);
    const { tries } = stepIn(async (transaction) => {
      const id = await idOf(transaction);
      const sleeping = transaction.run([{ sql: 'SELECT SLEEP(60)', values: [] }]);
      await waitUntil('the statement runs', 10_000, async () => {
        const [rows] = await database.query(
          `SELECT id FROM information_schema.processlist WHERE id = ${id} AND info LIKE '%SLEEP%'`,
        );
        return rows.length === 1;
      });
      await kill(id);
      await sleeping;
    });
    await rig.process([given]);
    expect(tries()).toBe(2);
    expect(rig.endings([given])).toEqual(['created']);
    expect(await storedOutcomes([given])).toHaveLength(1);
  });

  it('is not used again', async () => {
    const { bookInfoId } = await newTitle(rig, 0);
    let killed = 0;
    stepIn(async (transaction) => {
      killed = await idOf(transaction);
      await kill(killed);
    });
    await rig.process([update(bookInfoId, { title: 'New' })]);
    const ids = await Promise.all(
      [1, 2, 3, 4].map(
        async () =>
          (
            (await database.query('SELECT CONNECTION_ID() AS id, SLEEP(0.05)'))[0] as {
              id: number;
            }[]
          )[0]?.id,
      ),
    );
    expect(ids).not.toContain(killed);
    expect(ids.every((id) => typeof id === 'number')).toBe(true);
  });
});

describe('two workers', () => {
  it("that count one user's borrows of different titles at the same time keep the limit", async () => {
    const settings = { MAX_OPEN_BORROWS: 1 };
    const [one, other] = [new Rig({ database, settings }), new Rig({ database, settings })];
    const titles = [await newTitle(one, 1)];
    while (
      partitionOf(bookInfoKey(titles[0]?.bookInfoId ?? 0), 3) ===
      partitionOf(bookInfoKey(titles.at(-1)?.bookInfoId ?? 0), 3)
    )
      titles.push(await newTitle(one, 1));
    const userId = newUser();
    // The user has a row already: were it made now, its lock would keep the second worker out by
    // itself.
    await one.process([giveBack(userId, titles[0]?.bookInfoId ?? 0)]);
    const [a, b] = [
      borrow(userId, titles[0]?.bookInfoId ?? 0),
      borrow(userId, titles.at(-1)?.bookInfoId ?? 0),
    ];
    let racing: Promise<void> = Promise.resolve();
    let bothHaveRead = false;
    let started = 0;
    other.hooks.between = () => {
      bothHaveRead = true;
    };
    one.hooks.between = async () => {
      started += 1;
      racing = other.process([b]);
      let before: unknown = null;
      await waitUntil('the other worker has read, or waits for a lock', 10_000, async () => {
        const [running] = await database.query(
          `SELECT id, info FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID() AND command = 'Query' AND info LIKE '%\`user\`%'`,
        );
        // A statement that two looks find at work does not work but waits.
        const waits = running.length > 0 && JSON.stringify(running) === before;
        before = JSON.stringify(running);
        return bothHaveRead || waits;
      });
    };
    await one.process([a]);
    await racing;
    expect(started).toBe(1);
    expect([...one.endings([a]), ...other.endings([b])].sort()).toEqual([
      'LOAN_LIMIT_REACHED',
      'created',
    ]);
  });
});
