import { randomInt } from 'node:crypto';
import {
  BOOK_INFO_KEYS,
  expectKeys,
  openLibrary,
  type BookInfo,
  type Library,
} from '../../support/clients/books';
import { expectFaults } from '../../support/clients/problems';
import { waitUntil } from '../../support/wait';

/** GET /api/book-infos/popular */

/** How long the list may lag behind, milliseconds. */
const LAG_MS = 60_000;
/** More borrows than most titles of other tests have, so that the largest list shows them. */
const MANY = 8;

type Popular = BookInfo & { borrowCount: number };

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const read = (query: string) => library.call('get', `/api/book-infos/popular${query}`);

/** A new title that was borrowed and returned so often. */
async function borrowedTitle(times: number): Promise<number> {
  const { bookInfoId } = await library.registered({ copies: 1 });
  for (let time = 0; time < times; time += 1) {
    const reader = library.newReader();
    await library.borrowed(reader, { bookInfoId });
    await library.returned(reader, { bookInfoId });
  }
  return bookInfoId;
}

it('lists the most borrowed first, each a BookInfo with its borrowCount', async () => {
  const [second, first] = [await borrowedTitle(MANY), await borrowedTitle(MANY + 1)];
  // A window that nobody has asked for is in no cache yet.
  const items = (await read(`?days=${randomInt(100, 200)}&size=100`)).body.items as Popular[];
  for (const item of items) expectKeys(item, [...BOOK_INFO_KEYS, 'borrowCount']);
  expect(items.map(({ borrowCount }) => borrowCount)).toEqual(
    items.map(({ borrowCount }) => borrowCount).sort((a, b) => b - a),
  );
  const mine = items.filter(({ bookInfoId }) => [first, second].includes(bookInfoId));
  expect(mine.map(({ bookInfoId, borrowCount }) => [bookInfoId, borrowCount])).toEqual([
    [first, MANY + 1],
    [second, MANY],
  ]);
  expect(mine[0]).toEqual({ ...(await library.detail(first)), borrowCount: MANY + 1 });
});

it('leaves out deleted titles', async () => {
  const [kept, deleted] = [await borrowedTitle(MANY), await borrowedTitle(MANY)];
  expect((await library.manage('delete', `/api/book-infos/${deleted}`)).status).toBe(204);
  const ids = ((await read(`?days=${randomInt(200, 300)}&size=100`)).body.items as Popular[]).map(
    ({ bookInfoId }) => bookInfoId,
  );
  expect([ids.includes(kept), ids.includes(deleted)]).toEqual([true, false]);
});

it('has 10 titles at most unless size says otherwise', async () => {
  const ids = [];
  for (let count = 0; count < 11; count += 1) ids.push(await borrowedTitle(1));
  expect((await read(`?days=${randomInt(300, 365)}`)).body.items).toHaveLength(10);
  expect((await read(`?days=${randomInt(300, 365)}&size=3`)).body.items).toHaveLength(3);
});

it(
  'shows a borrow within a minute, also when the list was read before',
  async () => {
    await Promise.all([read('?size=100'), read('?size=100')]);
    const mine = await borrowedTitle(MANY);
    const counted = await waitUntil('the borrows are counted', LAG_MS, async () => {
      const items = (await read('?size=100')).body.items as Popular[];
      return items.find(({ bookInfoId }) => bookInfoId === mine)?.borrowCount;
    });
    expect(counted).toBe(MANY);
  },
  LAG_MS + 30_000,
);

it.each<[string, Record<string, string>]>([
  ['?days=0', { days: 'OUT_OF_RANGE' }],
  ['?days=-1', { days: 'OUT_OF_RANGE' }],
  ['?days=x', { days: 'INVALID_TYPE' }],
  ['?days=1.5', { days: 'INVALID_TYPE' }],
  ['?size=0', { size: 'OUT_OF_RANGE' }],
  ['?size=', { size: 'TOO_SHORT' }],
  ['?sort=title', { sort: 'UNKNOWN_PARAMETER' }],
])('400 for %s', async (query, faults) => {
  expectFaults(await read(query), faults);
});

it('clamps a size above 100', async () => {
  expect((await read('?size=1000')).body.size).toBe(100);
});
