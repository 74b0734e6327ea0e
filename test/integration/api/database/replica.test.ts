import type { Sequelize } from 'sequelize-typescript';
import { connectDatabase } from '../../../../shared/database/connect';
import { openLibrary, type Library } from '../../../support/clients/books';
import { onCleanUp } from '../../../support/run/cleanup';
import { migratedDatabase } from '../../../support/servers/database';

import { newSecret, startServers } from '../../../support/service/processes';
import { exportedSecret, targetAt } from '../../../support/service/target';

/**
 * Reads from a replica. What stands for it is another database, which has nothing of what is
 * written, so that whatever is read there shows. How far it is behind says its lease, as it would
 * with replication.
 */

let replica: Sequelize;
let library: Library;

beforeAll(async () => {
  const MYSQL_REPLICA_URL = await migratedDatabase('mysql');
  replica = connectDatabase({ url: MYSQL_REPLICA_URL, poolMax: 2 });
  onCleanUp(() => replica.close());
  const system = await startServers({
    apis: 1,
    workers: 1,
    env: { MYSQL_REPLICA_URL, JWT_SECRET: exportedSecret(newSecret) },
  });
  library = await openLibrary(
    targetAt(
      'servers',
      system.apis.map(({ url }) => url),
    ),
  );
});

/** The replica has come so far as so many seconds ago. */
async function behind(seconds: number): Promise<void> {
  await replica.query(
    "REPLACE INTO lease (name, owner, `until`) VALUES ('relay', 'w', NOW(3) + INTERVAL 3 SECOND - INTERVAL ? SECOND)",
    { replacements: [seconds] },
  );
}

let window = 100;
/** The popular titles of a window that nobody has asked for, so that they are in no cache. */
async function popular(): Promise<number[]> {
  window += 1;
  const { status, body } = await library.call('get', `/api/book-infos/popular?days=${window}`);
  expect(status).toBe(200);
  return (body.items as { bookInfoId: number }[]).map(({ bookInfoId }) => bookInfoId);
}

async function borrowedTitle(): Promise<number> {
  const { bookInfoId } = await library.registered({ copies: 1 });
  await library.borrowed(library.newReader(), { bookInfoId });
  return bookInfoId;
}

it('that is not far behind has the popular titles, and nothing else', async () => {
  const bookInfoId = await borrowedTitle();
  await behind(2);
  expect(await popular()).toEqual([]);
  expect((await library.detail(bookInfoId)).availableStock).toBe(0);
  expect((await library.call('get', `/api/book-infos?sort=-createdAt`)).body.items).toMatchObject([
    { bookInfoId },
  ]);
  expect(
    (await library.manage('get', `/api/borrow-histories?bookInfoId=${bookInfoId}`)).body.totalItems,
  ).toBe(1);
});

it('that is too far behind is left aside, until it has caught up', async () => {
  const bookInfoId = await borrowedTitle();
  await behind(60);
  expect(await popular()).toContain(bookInfoId);
  await behind(2);
  expect(await popular()).toEqual([]);
});

it('that cannot be reached is left aside', async () => {
  const bookInfoId = await borrowedTitle();
  await replica.query('DROP DATABASE `' + replica.getDatabaseName() + '`');
  expect(await popular()).toContain(bookInfoId);
});
