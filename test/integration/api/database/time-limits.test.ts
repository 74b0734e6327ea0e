import type { Sequelize } from 'sequelize-typescript';
import { isDatabaseUnavailable, tookTooLong } from '../../../../api/database/unavailable';
import { connectDatabase } from '../../../../shared/database/connect';
import { onCleanUp } from '../../../support/run/cleanup';
import { freshDatabase } from '../../../support/servers/fresh';
import { startProxy, type Proxy } from '../../../support/faults/proxy';
import { waitUntil } from '../../../support/wait';

/**
 * A database with one connection, whose queries have a time limit, behind a proxy that can make it
 * hang.
 */

const MYSQL_PORT = 3306;
/** More than a trifle takes on a busy machine, milliseconds. */
const QUERY_MS = 2000;
/** How long the server may take to notice that a connection was closed, milliseconds. */
const CLOSED_MS = 10_000;
/** Takes hours. */
const SLOW =
  'SELECT COUNT(*) FROM information_schema.columns a, information_schema.columns b, information_schema.columns c, information_schema.columns d';

let proxy: Proxy;
let database: Sequelize;
/** Whether answers to commands are lost; those to a new connection's handshake pass. */
let losing = false;

beforeEach(async () => {
  losing = false;
  // The first packet of an answer to a command has the number 1, and no other packet that begins a
  // chunk has.
  proxy = await startProxy(
    await freshDatabase(),
    MYSQL_PORT,
    () => (bytes) => (losing && bytes[3] === 1 ? Buffer.alloc(0) : bytes),
  );
  database = connectDatabase({ url: proxy.url, poolMax: 1, queryMs: QUERY_MS });
  onCleanUp(() => database.close());
});

const failureOf = (query: string): Promise<unknown> =>
  database.query(query).then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error,
  );
async function ask(sql: string): Promise<unknown> {
  const [rows] = await database.query(`SELECT ${sql} AS answer`);
  return (rows as { answer: unknown }[])[0]?.answer;
}
const connectionId = () => ask('CONNECTION_ID()');
const connections = () =>
  ask('(SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE())');

it('a query that takes too long is ended by the server, and the connection stays', async () => {
  const before = await connectionId();
  const error = await failureOf(SLOW);
  expect([tookTooLong(error), isDatabaseUnavailable(error)]).toEqual([true, false]);
  expect(await connectionId()).toBe(before);
});

it('a query that a hanging server does not answer fails, and the next one has a new connection', async () => {
  const before = await connectionId();
  proxy.stall();
  const error = await failureOf('SELECT 1');
  expect([tookTooLong(error), isDatabaseUnavailable(error)]).toEqual([false, true]);
  proxy.open();
  expect(await connectionId()).not.toBe(before);
});

it('a server that hangs right after the handshake does not keep its place in the pool', async () => {
  losing = true;
  expect(isDatabaseUnavailable(await failureOf('SELECT 1'))).toBe(true);
  losing = false;
  await waitUntil(
    'no connection but the new one is left',
    CLOSED_MS,
    async () => (await connections()) === 1,
  );
});
