import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import type { Sequelize } from 'sequelize-typescript';
import { connectDatabase } from '../../../../shared/database/connect';
import type { Call } from '../../../support/clients/caller';
import { onCleanUp } from '../../../support/run/cleanup';
import { migratedDatabase } from '../../../support/servers/database';
import { brokenInvariants } from '../../../support/check/invariants';
import { staleViews } from '../../../support/check/views';

/**
 * The tests of faults say that nothing is broken; here it is broken, rule by rule, and each time
 * they must say so.
 */

const NOW = '2026-01-02 03:04:05.678 +00:00';
const BORROW = { borrowId: 5, bookId: 9 };

let database: Sequelize;
let env: { DATA_DIR: string };
let calls: Call[];

const insert = (table: string, row: Record<string, unknown>) =>
  database.query(
    `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${Object.keys(row)
      .map(() => '?')
      .join()})`,
    { replacements: Object.values(row) },
  );
let sequence = 0;
const event = (type: string, commandId: string, data: object) =>
  insert('outbox', {
    events: JSON.stringify({
      type: `lending.${type}`,
      aggregateId: 'book-info:1',
      commandId,
      sequence: (sequence += 1),
      data,
    }),
    occurred_at: NOW,
  });
const outcome = (commandId: string, requestId: string, ending: object) =>
  insert('command_outcome', {
    command_id: commandId,
    type: 'lending.borrow-book',
    request_id: requestId,
    ending: JSON.stringify(ending),
    created_at: NOW,
    completed_at: NOW,
  });
const succeeded = (result: object) => ({
  status: 'succeeded',
  created: true,
  result: JSON.stringify(result),
});
const refused = (code: string) => ({ status: 'failed', refusal: { code } });
const told = (requestId: string, status: number, body: Record<string, unknown>) =>
  calls.push({
    requestId,
    request: 'POST /api/borrows',
    answer: { status, body },
    startedAt: 0,
    tookMs: 1,
  });

/**
 * A title with two copies, one of them lent to a client who was told so, and a client who was told
 * that there is none.
 */
beforeEach(async () => {
  const url = await migratedDatabase('sqlite');
  env = { DATA_DIR: dirname(url) };
  database = connectDatabase({ url, poolMax: 1 });
  [calls, sequence] = [[], 0];
  await insert('author', { id: 1, name: 'a', search_name: 'a' });
  await insert('book_info', {
    id: 1,
    book_title: 'Emma',
    book_bookAuthor: 1,
    total_stock: 2,
    available_stock: 1,
    version: 1,
    search_title: 'emma',
    created_at: NOW,
    modified_at: NOW,
  });
  await event('book-info.created', 'c0', { version: 1, title: 'Emma' });
  await event('copies.added', 'c0', { bookIds: [8, 9] });
  await event('borrow.created', 'c1', BORROW);
  await outcome('c1', 'r1', succeeded(BORROW));
  await outcome('c2', 'r2', refused('OUT_OF_STOCK'));
  told('r1', 201, BORROW);
  told('r2', 409, { code: 'OUT_OF_STOCK' });
});

afterEach(() => database.close());

const found = async () =>
  (await brokenInvariants(env, calls)).map((finding) => finding.slice(0, 2));

it('finds nothing where nothing is broken', async () => {
  told('r3', 0, {});
  expect(await found()).toEqual([]);
});

it.each<[string, string[], () => unknown]>([
  ['a success that left nothing', ['I1'], () => told('r4', 201, BORROW)],
  [
    'a success without its effect',
    ['I1'],
    () => {
      told('r4', 201, BORROW);
      return outcome('c4', 'r4', succeeded(BORROW));
    },
  ],
  [
    'a call that became two commands',
    ['I1', 'I2'],
    async () => {
      await outcome('c4', 'r1', succeeded(BORROW));
      await outcome('c5', 'r9', refused('X'));
    },
  ],
  [
    'an effect that came twice',
    ['I1', 'I6'],
    () => event('borrow.created', 'c1', { borrowId: 6, bookId: 8 }),
  ],
  [
    'an answer that is not the stored one',
    ['I1'],
    () => (calls[0] = { ...calls[0]!, answer: { status: 201, body: { borrowId: 7 } } }),
  ],
  ['a refusal with an effect', ['I2'], () => event('book-info.updated', 'c2', { version: 2 })],
  ['an effect that nobody asked for', ['I2'], () => outcome('c6', 'r6', succeeded({}))],
  [
    'an unknown fate with two commands',
    ['I1'],
    async () => {
      told('r7', 0, {});
      await outcome('c7', 'r7', refused('X'));
      await outcome('c8', 'r7', refused('X'));
    },
  ],
  [
    'a copy that is lent while it is lent',
    ['I4', 'I6'],
    () => event('borrow.created', 'c9', { borrowId: 6, bookId: 9 }),
  ],
  ['a version that is missing', ['I4'], () => event('book-info.updated', 'c9', { version: 3 })],
  ['a version that came twice', ['I4'], () => event('book-info.updated', 'c9', { version: 1 })],
  [
    'an event whose number is not the next',
    ['I4'],
    () => {
      sequence += 1;
      return event('book-info.updated', 'c9', { version: 2 });
    },
  ],
  [
    'an overtaking',
    ['I5'],
    async () => {
      await event('book-info.updated', 'c9', { version: 2, title: 'Order 2' });
      await event('book-info.updated', 'c10', { version: 3, title: 'Order 1' });
    },
  ],
  [
    'a stock that is not the sum',
    ['I6'],
    () => database.query('UPDATE book_info SET available_stock = 2'),
  ],
])('finds %s', async (_what, rules, breakIt) => {
  await breakIt();
  expect(await found()).toEqual(rules);
});

it('finds an API that shows what is not stored', async () => {
  const view = { bookInfoId: 1, title: 'Emma', totalStock: 2, availableStock: 1, version: 1 };
  const shown = { detail: view, listed: view };
  const server = createServer(({ url }, response) =>
    response.end(JSON.stringify(url?.endsWith('/1') ? shown.detail : { items: [shown.listed] })),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onCleanUp(() => new Promise((resolve) => server.close(resolve)));
  const stale = () =>
    staleViews(env, [`http://127.0.0.1:${(server.address() as AddressInfo).port}`], [1]);
  expect(await stale()).toEqual([]);
  shown.detail = { ...view, availableStock: 2 };
  expect(await stale()).toEqual([
    expect.stringMatching(/^I8: detail of title 1 .*availableStock 2, stored 1$/),
  ]);
  Object.assign(shown, { detail: view, listed: { ...view, title: 'Emma 0' } });
  expect(await stale()).toEqual([expect.stringMatching(/^I8: listed/)]);
});
