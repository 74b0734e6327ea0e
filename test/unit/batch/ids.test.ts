import type { Sequelize } from 'sequelize-typescript';
import { join } from 'node:path';
import { connectDatabase } from '../../../shared/database/connect';
import { migrate } from '../../../shared/database/migrate';
import { IdBlocks } from '../../../workers/batch/service/ids';
import { IdsUsedUp } from '../../../workers/batch/failures/retry';
import { onCleanUp, temporaryFolder } from '../../support/run/cleanup';

describe('ids', () => {
  let database: Sequelize;
  beforeAll(async () => {
    database = connectDatabase({
      url: join(await temporaryFolder('ids'), 'lendline.sqlite'),
      poolMax: 1,
    });
    onCleanUp(() => database.close());
    await migrate(database);
  });

  const take = (ids: IdBlocks, count: number) =>
    Array.from({ length: count }, () => ids.take('book'));

  it('are the ones that were foretold, also across blocks', async () => {
    const ids = new IdBlocks(database);
    await ids.reserve('book', 3);
    take(ids, 2);
    await ids.reserve('book', 1200);
    const foretold = ids.upcoming('book', 1200);
    expect(foretold).toHaveLength(1200);
    expect(take(ids, 1200)).toEqual(foretold);
  });

  it('are never handed out twice by two workers, and are above 0', async () => {
    const workers = [new IdBlocks(database), new IdBlocks(database)];
    const taken: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(workers.map((ids) => ids.reserve('book', 400)));
      for (const ids of workers) taken.push(...take(ids, 400));
    }
    expect(new Set(taken).size).toBe(2400);
    expect(Math.min(...taken)).toBeGreaterThan(0);
  });

  it('of one kind do not use up those of another', async () => {
    const ids = new IdBlocks(database);
    await ids.reserve('author', 1);
    expect(() => ids.take('borrow')).toThrow('no borrow id was reserved');
    expect(ids.upcoming('borrow', 5)).toEqual([]);
  });

  it('are given to a batch up to what it asked for, though more are reserved', async () => {
    const ids = new IdBlocks(database);
    await ids.reserve('book', 2);
    const takeId = ids.taker(new Map([['book', 2]]));
    const taken = [takeId('book'), takeId('book')];
    expect(() => takeId('book')).toThrow(IdsUsedUp);
    expect(() => takeId('author')).toThrow(IdsUsedUp);
    expect(ids.take('book')).toBe((taken[1] ?? NaN) + 1);
  });
});
