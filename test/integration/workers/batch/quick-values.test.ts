import fc from 'fast-check';
import type { Sequelize } from 'sequelize-typescript';
import { batchTransactions } from '../../../../workers/batch/sql/dialects';
import type { BatchTransactions, Statement } from '../../../../workers/batch/sql/transaction';
import { onCleanUp } from '../../../support/run/cleanup';
import { emptyDatabase } from '../../../support/servers/database';

/** Values as they come back from MySQL, on each of the ways on which statements go there. */

let database: Sequelize;
let transactions: BatchTransactions;
beforeAll(async () => {
  database = await emptyDatabase('mysql');
  transactions = batchTransactions(database, 'values');
  onCleanUp(() => transactions.close());
});

const select = (values: readonly unknown[]): Statement => ({
  sql: `SELECT ${values.map((_, index) => `? AS v${index}`).join(', ')}`,
  values,
});

async function backFrom(values: readonly unknown[]): Promise<unknown[][]> {
  const { transaction, results } = await transactions.begin([select(values)]);
  const first = [select(values)];
  transaction.send?.([select([1])]);
  await transaction.commitAndBegin?.([], first);
  const next = await transactions.begin(first);
  await next.transaction.rollback();
  return [...results, ...next.results].map(({ rows }) => Object.values(rows[0] ?? {}));
}

/** What ends a text, escapes, is a place for a value, or takes several bytes. */
const CHARACTERS = [
  '"',
  "'",
  '\\',
  '\0',
  '\b',
  '\t',
  '\n',
  '\r',
  '\x1a',
  '\u2028',
  '?',
  ';',
  '%',
  '_',
  '`',
  '-',
  '/',
  '*',
  '$',
  '&',
  'a',
  'é',
  '線',
  '😀',
];

it('texts of any characters mean themselves', async () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom(...CHARACTERS), minLength: 1 }), {
    minLength: 1,
  });
  await fc.assert(
    fc.asyncProperty(texts, async (given) => {
      expect(await backFrom(given)).toEqual([given, given]);
    }),
    {
      numRuns: 200,
      examples: [[['"', '"\'', '"\\', '"\\\'; SELECT 1; -- ', '{"a":"it\'s \\"b\\""}']]],
    },
  );
});

it('instants are those of UTC, to the millisecond', async () => {
  const given = [
    '2026-11-23T00:07:51.402Z',
    '1970-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
    '2026-11-23T00:07:51.402Z',
    '0999-01-02T00:00:00.000Z',
  ];
  const shown = given.map((at) => at.replace('T', ' ').replace('Z', ''));
  expect(await backFrom(given.map((at) => new Date(at)))).toEqual([shown, shown]);
});

it('nothing, numbers and bytes stay what they are', async () => {
  expect(await backFrom([null, 5, -0.5, Buffer.from([0, 34, 39, 92, 255])])).toEqual(
    [1, 2].map(() => [null, 5, '-0.5', Buffer.from([0, 34, 39, 92, 255])]),
  );
});
