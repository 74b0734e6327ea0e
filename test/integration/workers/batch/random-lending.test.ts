import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Sequelize } from 'sequelize-typescript';
import { Reference } from '../../../support/models/lending/reference';
import type { NextIds } from '../../../support/models/lending/reference-library';
import { commandOf } from '../../../support/models/lending/step-commands';
import { lendingStep, type Step, type World } from '../../../support/models/lending/steps';
import { batchesOf, carryOutRandom, DRAWING, SEQUENCES, SEQUENCES_MS } from './random-plan';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { wordsOf } from '../../../../shared/search/words';
import { dayOf, LendingPolicy } from '../../../../shared/lending/tables';
import { borrowDays, borrowRows, copyRows, holdRows, titleRows, titleWords } from './rows';

const ID_KINDS = ['author', 'book-info', 'book', 'borrow', 'hold'] as const;

const sequence = fc.record({
  maxOpenBorrows: fc.constantFrom(0, 1, 2),
  batches: batchesOf(lendingStep),
});

let worlds = 0;
function newWorld(): World {
  const number = (worlds += 1);
  const digits = String(number).padStart(11, '0');
  const users = [1, 2, 3, 4].map((user) => number * 10 + user);
  return {
    users,
    isbns: [0, 1, 2].map((index) => `${index}0${digits}`),
    authors: [`Ann ${number}`, `Bo ${number}`],
    image: `https://img.test/${number}.png`,
    barcodes: [0, 1, 2].map((index) => `${number}-${index}`),
  };
}

const usernameOf = (userId: number) => `user-${userId}`;
const millis = (instant: Date | null) => (instant === null ? null : instant.getTime());

async function assertRows(
  reference: Reference,
  first: { 'book-info': number; book: number; borrow: number; hold: number },
): Promise<void> {
  const titles = reference.titles.map(
    ({
      id,
      title,
      authorId,
      isbn,
      bookImg,
      borrowCount,
      version,
      createdAt,
      modifiedAt,
      deletedAt,
    }) => ({
      ...{ id, title, authorId, isbn, bookImg, borrowCount, version, ...reference.stock(id) },
      ...{
        createdAt: millis(createdAt),
        modifiedAt: millis(modifiedAt),
        deletedAt: millis(deletedAt),
      },
    }),
  );
  const copies = reference.copies.map((copy) => ({
    ...copy,
    available: copy.status === 'AVAILABLE' && copy.deletedAt === null,
    deletedAt: millis(copy.deletedAt),
  }));
  const borrows = reference.borrows.map((borrow) => ({
    ...borrow,
    borrowedAt: millis(borrow.borrowedAt),
    dueAt: millis(borrow.dueAt),
    returnedAt: millis(borrow.returnedAt),
  }));
  assert.deepStrictEqual(await titleRows(first['book-info']), titles);
  assert.deepStrictEqual(await copyRows(first.book), copies);
  assert.deepStrictEqual(await borrowRows(first.borrow), borrows);
  const holds = reference.holds.map((hold) => ({
    ...hold,
    placedAt: millis(hold.placedAt),
    readyAt: millis(hold.readyAt),
    expiresAt: millis(hold.expiresAt),
    closedAt: millis(hold.closedAt),
  }));
  assert.deepStrictEqual(await holdRows(first.hold), holds);
  const live = reference.titles.filter(({ deletedAt }) => deletedAt === null);
  const words = live.flatMap(({ id, title, isbn }) => [
    ...wordsOf('title', title).map((word) => `${id} title ${word}`),
    ...(isbn === null ? [] : [`${id} isbn ${isbn}`]),
  ]);
  assert.deepStrictEqual(await titleWords(first['book-info']), { words: words.sort(), missing: 0 });
  const days = new Map<string, number>();
  for (const { bookInfoId, borrowedAt } of reference.borrows)
    days.set(
      `${bookInfoId} ${dayOf(borrowedAt)}`,
      (days.get(`${bookInfoId} ${dayOf(borrowedAt)}`) ?? 0) + 1,
    );
  assert.deepStrictEqual(
    await borrowDays(first['book-info']),
    Array.from(days, ([day, borrows]) => `${day} ${borrows}`).sort(),
  );
}

describe.each(DIALECTS)('random batches on %s', (dialect) => {
  let database: Sequelize;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });

  it(
    `have the same results as their commands one by one, whatever is delivered twice (${SEQUENCES} sequences)`,
    async () => {
      await fc.assert(
        fc.asyncProperty(sequence, async ({ maxOpenBorrows, batches }) => {
          const world = newWorld();
          // No worker of the sequence before is left to remember them.
          await LendingPolicy.destroy({ where: {} });
          const modelFrom = (next: NextIds) => {
            const model = new Reference(
              { loanDays: 14, maxOpenBorrows, holdPickupDays: 3, dueSoonDays: 2 },
              usernameOf,
              next,
            );
            return { reference: model, commandOf: (step: Step) => commandOf(step, world, model) };
          };
          const { reference, first } = await carryOutRandom({
            rig: { database, settings: { MAX_OPEN_BORROWS: maxOpenBorrows } },
            kinds: ID_KINDS,
            batches,
            modelFrom,
          });
          await assertRows(reference, first);
        }),
        DRAWING,
      );
    },
    SEQUENCES_MS,
  );
});
