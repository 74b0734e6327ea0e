import type { Sequelize } from 'sequelize-typescript';
import { connectDatabase } from '../../../../shared/database/connect';
import { services } from '../../../../shared/services';
import { addLayout, closeLayout, openLayouts } from '../../../../shared/database/layouts';
import { PartitionOwner } from '../../../../shared/database/worker-tables';
import { fenceStatement, takeOver } from '../../../../workers/batch/ownership/fence';
import { IdBlocks } from '../../../../workers/batch/service/ids';
import { batchTransactions } from '../../../../workers/batch/sql/dialects';
import { onCleanUp } from '../../../support/run/cleanup';
import { freshDatabase } from '../../../support/servers/fresh';
import { startProxy } from '../../../support/faults/proxy';
import { waitUntil } from '../../../support/wait';
import { emptyDatabase } from '../../../support/servers/database';

const [ONE, TWO, THREE] = [
  'lending.commands.00',
  'lending.commands.01',
  'lending.commands.02',
] as const;

/**
 * Longest silence of a MySQL that was asked something, milliseconds: more than a trifle takes on a
 * busy machine.
 */
const ANSWER_MS = 2000;

/** A worker that stands still inside of a batch of its partitions. */
async function insideBatch(database: Sequelize, partitions: readonly string[]) {
  const name = `w-${Math.random().toString(36).slice(2)}`;
  const transactions = batchTransactions(database, name);
  onCleanUp(() => transactions.close());
  const { transaction } = await transactions.begin([
    fenceStatement(await takeOver(database, name, partitions)),
  ]);
  return { name, transactions, transaction };
}

const owners = async (...names: string[]) =>
  (await PartitionOwner.findAll({ where: { partitionName: names }, order: ['partitionName'] })).map(
    ({ owner }) => owner,
  );
const note = (id: number) => ({
  sql: 'UPDATE id_block SET next_id = ? WHERE kind = ?',
  values: [id, 'author'],
});

describe('a worker that takes partitions over', () => {
  let database: Sequelize;
  beforeEach(async () => {
    database = await emptyDatabase('mysql');
  });

  it('ends the connection of an owner that is frozen inside a batch: its COMMIT fails, and its writes are rolled back', async () => {
    const still = await insideBatch(database, [ONE]);
    await still.transaction.run([note(4711)]);
    await takeOver(database, 'next', [ONE]);
    expect(await owners(ONE)).toEqual(['next']);
    await expect(still.transaction.commit([])).rejects.toMatchObject({ fatal: true });
    await still.transaction.rollback();
    const ids = new IdBlocks(database);
    await ids.reserve('author', 1);
    expect(ids.take('author')).not.toBe(4711);
  });

  it('lets a batch finish that does so in time', async () => {
    const busy = await insideBatch(database, [ONE]);
    const taking = takeOver(database, 'next', [ONE]);
    await busy.transaction.commit([]);
    await taking;
    expect(await owners(ONE)).toEqual(['next']);
    await expect(busy.transactions.begin([])).resolves.toBeDefined();
  });

  it('ends every connection that is in the way, and no other', async () => {
    const [first, second, third] = [
      await insideBatch(database, [ONE]),
      await insideBatch(database, [TWO]),
      await insideBatch(database, [THREE]),
    ];
    await takeOver(database, 'next', [ONE, TWO]);
    expect(await owners(ONE, TWO, THREE)).toEqual(['next', 'next', third.name]);
    for (const { transaction } of [first, second])
      await expect(transaction.commit([])).rejects.toMatchObject({ fatal: true });
    await expect(third.transaction.commit([])).resolves.toBeUndefined();
  });

  it('is not locked out by its own former connection', async () => {
    const lost = await insideBatch(database, [ONE]);
    await takeOver(database, lost.name, [ONE]);
    expect(await owners(ONE)).toEqual([lost.name]);
  });
});

describe('a worker whose connection is lost inside a batch, unnoticed by the server', () => {
  it('ends that connection, and continues with another', async () => {
    const database = await emptyDatabase('mysql');
    const lost = await insideBatch(database, [ONE]);
    const again = batchTransactions(database, lost.name);
    const held = await PartitionOwner.findByPk(ONE, { rejectOnEmpty: true });
    const { transaction, results } = await again.begin([
      fenceStatement([{ name: ONE, epoch: held.epoch }]),
    ]);
    expect(results[0]?.affected).toBe(1);
    await transaction.commit([]);
    await expect(lost.transaction.commit([])).rejects.toMatchObject({ fatal: true });
    await again.close();
  });
});

describe('a worker that slept through a change of partitions', () => {
  it('commits nothing in a partition whose layout is drained', async () => {
    const database = await emptyDatabase('mysql');
    const [held] = await takeOver(database, 'asleep', [ONE]);
    const [old] = await openLayouts(database, services.names, undefined);
    if (!held || !old) throw new Error('there is no partition');
    await database.transaction(async (transaction) => {
      await addLayout(
        services.names,
        { generation: old.generation + 1, partitions: 1 },
        transaction,
      );
      await closeLayout(services.names, old, transaction);
    });
    const transactions = batchTransactions(database, 'asleep');
    onCleanUp(() => transactions.close());
    const { transaction, results } = await transactions.begin([fenceStatement([held])]);
    expect(results[0]?.affected).toBe(0);
    await transaction.rollback();
  });
});

describe('a worker', () => {
  it("runs one batch at a time, for two would end each other's transactions", async () => {
    const database = await emptyDatabase('mysql');
    const { transactions, transaction } = await insideBatch(database, [ONE]);
    await expect(transactions.begin([])).rejects.toThrow('a batch is under way');
    await transaction.commit([]);
  });

  it('stops waiting for a silent MySQL after the time that is set, and continues when it answers again', async () => {
    const proxy = await startProxy(await freshDatabase(), 3306);
    const database = connectDatabase({ url: proxy.url, poolMax: 2, answerMs: ANSWER_MS });
    onCleanUp(() => database.close());
    const ask = () => database.query('SELECT 1');
    await ask();
    proxy.stall();
    await expect(ask()).rejects.toMatchObject({ parent: { code: 'ETIMEDOUT' } });
    proxy.open();
    await waitUntil('MySQL answers', 30_000, ask);
  });

  it('keeps a connection that is silent because nobody uses it', async () => {
    const url = await freshDatabase();
    const [database, other] = [
      connectDatabase({ url, poolMax: 1, answerMs: ANSWER_MS }),
      connectDatabase({ url, poolMax: 1 }),
    ];
    onCleanUp(async () => {
      await database.close();
      await other.close();
    });
    const connectionId = async () =>
      ((await database.query('SELECT CONNECTION_ID() AS id'))[0] as { id: number }[])[0]?.id;
    const id = await connectionId();
    await other.query('SELECT SLEEP(?)', { replacements: [(2 * ANSWER_MS) / 1000] });
    expect(await connectionId()).toBe(id);
  });
});
