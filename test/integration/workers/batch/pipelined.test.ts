import { pino } from 'pino';
import type { Sequelize } from 'sequelize-typescript';
import { User } from '../../../../shared/identity/tables';
import type { Delivery } from '../../../../shared/messaging/transport';
import { takeOver } from '../../../../workers/batch/ownership/fence';
import { batchTransactions } from '../../../../workers/batch/sql/dialects';
import type {
  BatchTransaction,
  BatchTransactions,
  Statement,
} from '../../../../workers/batch/sql/transaction';
import { Pump } from '../../../../workers/consumer/pump';
import { onCleanUp } from '../../../support/run/cleanup';
import { waitUntil } from '../../../support/wait';
import { borrow, giveBack } from '../../../support/models/lending/commands';
import { Rig } from './rig';
import { emptyDatabase } from '../../../support/servers/database';
import { newTitle, newUser, storedOutcomes, titleRows } from './rows';

/**
 * A transaction that is begun behind the COMMIT of the one before it, and the batch that it is for.
 * On SQLite there is none.
 */

let database: Sequelize;
beforeAll(async () => {
  database = await emptyDatabase('mysql');
});

const SELECT_ONE: Statement = { sql: 'SELECT 1 AS one', values: [] };
const setNext = (kind: string, next: number): Statement => ({
  sql: 'UPDATE id_block SET next_id = ? WHERE kind = ?',
  values: [next, kind],
});
const FAULTY: Statement = { sql: 'SELECT nothing', values: [] };

async function next(kind: string): Promise<number> {
  const [rows] = await database.query('SELECT next_id FROM id_block WHERE kind = :kind', {
    replacements: { kind },
  });
  return Number((rows as { next_id: number }[])[0]?.next_id);
}

let transactions: BatchTransactions;
/** A number that no row has yet. */
let mark = 1000;

/** Transactions of a worker of its own, for each test. */
function ofOneWorker(): void {
  beforeEach(() => {
    transactions = batchTransactions(database, `ahead-${(mark += 10)}`);
    onCleanUp(() => transactions.close());
  });
  afterEach(() => transactions.close());
}

describe('a transaction that is begun with the commit before it', () => {
  ofOneWorker();

  /** Commits a write, and sends these along. */
  async function commitWrite(first: readonly Statement[]): Promise<void> {
    const { transaction } = await transactions.begin([SELECT_ONE]);
    await transaction.commitAndBegin?.([setNext('author', mark)], first);
    expect(await next('author')).toBe(mark);
  }

  it('is the next one that is used: it has its results, and ends like any other', async () => {
    for (const end of ['commit', 'rollback'] as const) {
      const first = [SELECT_ONE, setNext('book', mark)];
      await commitWrite(first);
      const { transaction, results } = await transactions.begin(first);
      expect(results).toEqual([
        { rows: [{ one: 1 }], affected: 0 },
        { rows: [], affected: 1 },
      ]);
      expect(await next('book')).not.toBe(mark);
      await (end === 'commit' ? transaction.commit([]) : transaction.rollback());
      expect((await next('book')) === mark).toBe(end === 'commit');
      mark += 1;
    }
  });

  it('is rolled back when something else is begun', async () => {
    await commitWrite([setNext('book', mark)]);
    const { transaction } = await transactions.begin([SELECT_ONE]);
    await transaction.commit([setNext('user', mark)]);
    expect(await next('user')).toBe(mark);
    expect(await next('book')).not.toBe(mark);
  });

  it('is never begun when the batch before it fails, which can then be tried again', async () => {
    const first = [setNext('book', mark)];
    const { transaction } = await transactions.begin([SELECT_ONE]);
    await expect(
      transaction.commitAndBegin?.([setNext('author', mark), FAULTY], first),
    ).rejects.toThrow('nothing');
    await transaction.rollback();
    expect(await next('author')).not.toBe(mark);
    const again = await transactions.begin(first);
    expect(again.results).toEqual([{ rows: [], affected: 1 }]);
    await again.transaction.commit([]);
    expect(await next('book')).toBe(mark);
  });

  it('reports its own failure when it is used, and leaves nothing open', async () => {
    const first = [setNext('book', mark), FAULTY];
    await commitWrite(first);
    await expect(transactions.begin(first)).rejects.toThrow('nothing');
    const { transaction } = await transactions.begin([setNext('user', mark)]);
    await transaction.commit([]);
    expect(await next('user')).toBe(mark);
    expect(await next('book')).not.toBe(mark);
  });

  it('is lost with its connection, and another takes its place', async () => {
    const first = [{ sql: 'SELECT CONNECTION_ID() AS id', values: [] }];
    await commitWrite(first);
    const { transaction, results } = await transactions.begin(first);
    await transaction.commitAndBegin?.([], [{ sql: 'SELECT SLEEP(10)', values: [] }]);
    await database.query(`KILL ${Number(results[0]?.rows[0]?.id)}`);
    const again = await transactions.begin(first);
    expect(again.results[0]?.rows[0]?.id).not.toBe(results[0]?.rows[0]?.id);
    await again.transaction.rollback();
  });
});

describe('statements that are sent while those of the commit are prepared', () => {
  ofOneWorker();

  const ENDS = {
    commit: (transaction: BatchTransaction) => transaction.commit([setNext('book', mark)]),
    commitAndBegin: (transaction: BatchTransaction) =>
      transaction.commitAndBegin?.([setNext('book', mark)], [SELECT_ONE]),
  };

  it.each(['commit', 'commitAndBegin'] as const)('are committed with those (%s)', async (end) => {
    const { transaction } = await transactions.begin([SELECT_ONE]);
    transaction.send?.([setNext('author', mark), setNext('user', mark)]);
    await transaction.run([SELECT_ONE]);
    expect(await next('author')).not.toBe(mark);
    await ENDS[end](transaction);
    expect(await Promise.all(['author', 'user', 'book'].map(next))).toEqual([mark, mark, mark]);
  });

  it.each(['commit', 'commitAndBegin'] as const)(
    'keep those from being sent when they fail (%s)',
    async (end) => {
      const { transaction } = await transactions.begin([SELECT_ONE]);
      transaction.send?.([setNext('author', mark), FAULTY]);
      await expect(ENDS[end](transaction)).rejects.toThrow('nothing');
      await transaction.rollback();
      expect(await Promise.all(['author', 'book'].map(next))).not.toContain(mark);
      const again = await transactions.begin([setNext('author', mark)]);
      await again.transaction.commit([]);
      expect(await next('author')).toBe(mark);
    },
  );

  it('are rolled back with their transaction', async () => {
    const { transaction } = await transactions.begin([SELECT_ONE]);
    transaction.send?.([setNext('author', mark)]);
    await transaction.rollback();
    expect(await next('author')).not.toBe(mark);
  });
});

describe('a batch whose reads are sent with the commit before it', () => {
  let rig: Rig;
  beforeEach(() => {
    rig = new Rig({ database });
  });

  it('sees what that batch did, and each has its effect, reply and acknowledgement in turn', async () => {
    const { bookInfoId } = await newTitle(rig, 2);
    rig.calls.splice(0);
    const batches = [
      [borrow(newUser(), bookInfoId)],
      [borrow(newUser(), bookInfoId)],
      [borrow(newUser(), bookInfoId)],
    ];
    await rig.processInTurn(batches);
    expect(rig.endings(batches.flat())).toEqual(['created', 'created', 'OUT_OF_STOCK']);
    expect(rig.kinds()).toEqual(['bump', 'reply', 'ack', 'bump', 'reply', 'ack', 'reply', 'ack']);
    expect((await titleRows(bookInfoId))[0]).toMatchObject({ availableStock: 0, borrowCount: 2 });
  });

  it('finds the outcome of a command that was in that batch as well', async () => {
    const { bookInfoId } = await newTitle(rig, 2);
    const twice = borrow(newUser(), bookInfoId);
    await rig.processInTurn([[twice], [twice]]);
    expect(rig.endings([twice])).toEqual(['created']);
    expect((await titleRows(bookInfoId))[0]).toMatchObject({ availableStock: 1, borrowCount: 1 });
  });

  it('waits until that batch, which failed, was done again', async () => {
    const { bookInfoId } = await newTitle(rig, 1);
    let tries = 0;
    rig.hooks.between = async (transaction) => {
      if ((tries += 1) > 1) return;
      await transaction.run([FAULTY]);
    };
    const batches = [[borrow(newUser(), bookInfoId)], [borrow(newUser(), bookInfoId)]];
    await rig.processInTurn(batches);
    expect(tries).toBe(3);
    expect(rig.endings(batches.flat())).toEqual(['created', 'OUT_OF_STOCK']);
  });

  it('is done once when the answer to that commit is lost', async () => {
    const { bookInfoId } = await newTitle(rig, 3);
    let commits = 0;
    rig.hooks.committed = () => {
      if ((commits += 1) === 1) throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
    };
    const batches = [[borrow(newUser(), bookInfoId)], [borrow(newUser(), bookInfoId)]];
    await rig.processInTurn(batches);
    expect(rig.endings(batches.flat())).toEqual(['created', 'created']);
    expect((await titleRows(bookInfoId))[0]).toMatchObject({ availableStock: 1, borrowCount: 2 });
  });

  it('is dropped when its partition is taken over meanwhile', async () => {
    const { bookInfoId } = await newTitle(rig, 2);
    const [first, second] = [borrow(newUser(), bookInfoId), borrow(newUser(), bookInfoId)];
    const deliveries = await rig.deliver([first, second]);
    const [one, two] = [deliveries.slice(0, 1), deliveries.slice(1)];
    await rig.processor.process(one, () => two as never);
    await takeOver(database, 'somebody else', [two[0]?.ownership.name ?? '']);
    await rig.processor.process(two);
    expect(rig.endings([first, second])).toEqual(['created', undefined]);
    expect(await storedOutcomes([second])).toEqual([]);
    expect(two[0]?.ownership.lost).toBe(true);
  });

  it('locks nothing any more once all its partitions are lost and no batch follows', async () => {
    const { bookInfoId } = await newTitle(rig, 1);
    const borrows = Array.from({ length: 100 }, () => borrow(newUser(), bookInfoId));
    const [first, ...rest] = await rig.deliver(borrows);
    const { ownership } = first as Delivery;
    const pump = new Pump({
      database,
      processor: rig.processor,
      transactions: rig.transactions,
      logger: pino({ level: 'silent' }),
      worker: rig.name,
      batchBytesMax: 4_194_304,
      stall: rig.stall,
    });
    rig.hooks.begin = () => {
      rig.hooks.begin = () => undefined;
      for (const delivery of rest) pump.offer(delivery);
    };
    rig.hooks.committed = () => {
      ownership.release();
    };
    pump.offer(first as Delivery);
    await waitUntil(
      'nothing is in hand',
      30_000,
      () => ownership.lost && Object.keys(pump.inHand()).length === 0,
    );
    await pump.stop();
    expect(rig.endings(borrows)).toEqual(['created', ...rest.map(() => undefined)]);
    // NOWAIT: a row that is locked is an error at once.
    const [rows] = await database.query(
      'SELECT owner FROM partition_owner WHERE partition_name = :name FOR UPDATE NOWAIT',
      { replacements: { name: ownership.name } },
    );
    expect(rows).toEqual([{ owner: rig.name }]);
  });

  it('that is not carried out adds nothing to the next one, and has registered no user', async () => {
    const [{ bookInfoId }, other] = [await newTitle(rig, 2), await newTitle(rig, 1)];
    const stranger = newUser();
    const deliveries = await rig.deliver([
      borrow(newUser(), bookInfoId),
      giveBack(stranger, other.bookInfoId),
    ]);
    await rig.processor.process(deliveries.slice(0, 1), () => deliveries.slice(1) as never);
    expect(await User.count({ where: { id: stranger } })).toBe(0);
    const given = borrow(stranger, bookInfoId);
    await rig.process([given]);
    expect(rig.endings([given])).toEqual(['created']);
    expect(await User.count({ where: { id: stranger } })).toBe(1);
  });
});
