import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { TitleFilters } from '../../../../api/lending/title-filters';
import { isCursorOf, relevantText, TITLE_ORDERS } from '../../../../api/lending/title-orders';
import { searchTitles, type TitleSearch } from '../../../../api/lending/title-search';
import { TOTAL_MAX } from '../../../../api/reads/found';
import { folded } from '../../../../shared/fields';
import { word } from '../../../../workers/ops/seed/catalogue';
import { Loading } from '../../../../workers/ops/seed/loading';
import { amount } from '../../../support/run/amount';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { planOf, scans, statementsOf } from '../../../support/servers/plans';

/**
 * The search among more titles than are counted: what it finds is held against a look at every
 * title, and how it finds it against the plans of the database.
 */

const TITLES = 12_000;
/** Each filter is tried in one of so many orders, and the next filter in the next of them. */
const ORDER_EVERY = amount(5, 1);

interface Stored {
  readonly id: number;
  readonly title: string;
  readonly author: string;
  readonly isbn: string | null;
  readonly day: string | null;
  readonly available: number;
  readonly borrows: number;
  readonly created: string;
}

/** Each filter as a look at one title, for a database that has no index. */
const HOLDS: {
  readonly [Name in keyof Required<TitleFilters>]: (
    row: Stored,
    wanted: NonNullable<TitleFilters[Name]>,
  ) => boolean;
} = {
  title: ({ title }, text) => title.includes(folded(text)),
  author: ({ author }, text) => author.includes(folded(text)),
  isbn: ({ isbn }, text) => isbn?.includes(text) ?? false,
  q: (row, text) => HOLDS.title(row, text) || HOLDS.author(row, text) || HOLDS.isbn(row, text),
  publishedFrom: ({ day }, from) => day !== null && day >= from,
  publishedTo: ({ day }, to) => day !== null && day <= to,
  available: ({ available }, wanted) => available > 0 === wanted,
};

const holds = (row: Stored, filters: TitleFilters): boolean =>
  Object.entries(filters).every(([name, wanted]) =>
    (HOLDS[name as keyof TitleFilters] as (row: Stored, wanted: unknown) => boolean)(row, wanted),
  );

const VALUE: Record<
  Exclude<TitleSearch['sort']['field'], 'relevance'>,
  (row: Stored) => string | number
> = {
  title: ({ title }) => title,
  publicationDate: ({ day }) => day ?? '',
  createdAt: ({ created }) => created,
  availableStock: ({ available }) => available,
  popularity: ({ borrows }) => borrows,
};

/** Sorts as relevance does: by rank, then by number of borrows; both descending. */
function relevance({ title, borrows }: Stored, filters: TitleFilters): number {
  const text = relevantText(filters);
  if (text === undefined || !title.startsWith(folded(text))) return borrows;
  return (title === folded(text) ? 2 : 1) * 1e9 + borrows;
}

/** Texts by their code points, as the databases have them. */
function ascending(rows: readonly Stored[], value: (row: Stored) => string | number): Stored[] {
  const compare = (a: string | number | Buffer, b: string | number | Buffer) =>
    a instanceof Buffer ? a.compare(b as Buffer) : Number(a) - Number(b);
  const keyOf = (row: Stored) => {
    const key = value(row);
    return typeof key === 'string' ? Buffer.from(key) : key;
  };
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((a, b) => compare(a.key, b.key) || a.row.id - b.row.id)
    .map(({ row }) => row);
}

/** All titles, ascending in each order that does not depend on what is asked for. */
type Orders = Record<keyof typeof VALUE, Stored[]>;

const ordersOf = (rows: readonly Stored[]) =>
  Object.fromEntries(
    Object.entries(VALUE).map(([field, value]) => [field, ascending(rows, value)]),
  ) as Orders;

/** The ids of the titles that pass the filters, in an order. */
function inOrder(
  orders: Orders,
  matching: ReadonlySet<Stored>,
  { field, descending }: TitleSearch['sort'],
  filters: TitleFilters,
): number[] {
  const isRelevance = field === 'relevance';
  const rows = isRelevance
    ? ascending([...matching], (row) => relevance(row, filters))
    : orders[field].filter((row) => matching.has(row));
  const ids = rows.map(({ id }) => id);
  return descending || isRelevance ? ids.reverse() : ids;
}

const [common, often, rare] = [word(0), word(30), word(30_000)];

const FILTERS: readonly TitleFilters[] = [
  {},
  { title: common },
  { title: often },
  { title: rare },
  { title: 'a' },
  { title: `${common} ${word(2)}` },
  { title: `${often.slice(1)} ` + common.slice(0, 2) },
  { title: '日' },
  { title: '日本' },
  { title: 'é' },
  { title: 'nothing has this' },
  { author: 'baca' },
  { author: 'a' },
  { author: 'ca ba' },
  { isbn: '97981' },
  { isbn: '98' },
  { isbn: '0033992' },
  { isbn: '9798618033992' },
  { q: common },
  { q: 'baca' },
  { q: '1234' },
  { q: 'zz' },
  { publishedFrom: '1990-01-01' },
  { publishedTo: '1901-02-28' },
  { publishedFrom: '1955-05-01', publishedTo: '1955-05-31' },
  { available: true },
  { available: false },
  { title: common, available: false },
  { title: common, available: false, publishedFrom: '2010-01-01' },
  { q: 'e', author: 'baca', available: true, publishedTo: '1960-12-31' },
];

describe.each(DIALECTS)('the search on %s', (dialect) => {
  let database: Sequelize;
  let stored: Stored[];
  let orders: Orders;

  beforeAll(async () => {
    database = await emptyDatabase(dialect);
    const progress = {
      size: { titles: TITLES, users: 50, borrows: 20_000 },
      at: Date.UTC(2026, 0, 1),
      first: [1, 1, 1, 1, 1],
      done: [0, 0, 0, 0],
    };
    await new Loading(database, progress).run(() => undefined);
    if (dialect === 'mysql')
      await database.query('ANALYZE TABLE book_info, author, search_word, search_ending');
    const columns =
      't.id, t.search_title AS title, a.search_name AS author, t.isbn, SUBSTR(CAST(t.publication_date AS CHAR), 1, 10) AS day, t.available_stock AS available, t.borrow_count AS borrows, CAST(t.created_at AS CHAR) AS created';
    stored = Array.from(
      await database.query<Stored>(
        `SELECT ${columns} FROM book_info t JOIN author a ON a.id = t.book_bookAuthor`,
        { type: QueryTypes.SELECT },
      ),
    );
    orders = ordersOf(stored);
  }, 300_000);

  const searched = (search: Partial<TitleSearch>) =>
    searchTitles(database, {
      page: 1,
      size: 10,
      sort: { field: 'createdAt', descending: true },
      ...search,
    });
  const SORTS = TITLE_ORDERS.map((order) => ({
    field: order.replace('-', '') as TitleSearch['sort']['field'],
    descending: order.startsWith('-'),
  }));
  const sortsOf = (filters: TitleFilters) => {
    const turn = FILTERS.indexOf(filters);
    return SORTS.filter((_sort, index) => (turn + index) % ORDER_EVERY === 0);
  };

  it.each(FILTERS)(
    'finds by %j exactly what has it, in every order and on every page',
    async (filters) => {
      const matching = new Set(stored.filter((row) => holds(row, filters)));
      for (const sort of sortsOf(filters)) {
        const ids = inOrder(orders, matching, sort, filters);
        for (const page of [1, 4]) {
          const found = await searched({ ...filters, sort, page });
          expect(found.items.map(({ bookInfoId }) => bookInfoId)).toEqual(
            ids.slice(10 * (page - 1), 10 * page),
          );
          if (found.atLeast) expect(found.totalItems).toBeLessThanOrEqual(ids.length);
          else expect(found.totalItems).toBe(ids.length);
        }
      }
    },
  );

  it('counts up to so many titles exactly, and says when there may be more', async () => {
    expect(await searched({})).toMatchObject({ totalItems: TOTAL_MAX, atLeast: true });
    for (const filters of [
      { title: common },
      { title: rare },
      { publishedTo: '1950-12-31' },
      { available: false },
      { title: common, available: true },
    ]) {
      const found = await searched(filters);
      expect([found.atLeast, found.totalItems]).toEqual([
        undefined,
        stored.filter((row) => holds(row, filters)).length,
      ]);
    }
  });

  it.each(SORTS)(
    'goes from page to page by where the one before ended, in the order %j',
    async (sort) => {
      const walks: [TitleFilters, number][] = [
        [{ title: common }, 400],
        [{ title: rare }, 2],
        [{ available: false }, 150],
      ];
      for (const [filters, size] of walks) {
        const ids: number[] = [];
        let [page, after] = [1, undefined as TitleSearch['after']];
        do {
          const found = await searched({ ...filters, size, sort, page, ...(after && { after }) });
          ids.push(...found.items.map(({ bookInfoId }) => bookInfoId));
          [page, after] = [page + 1, found.after];
          if (after) expect(isCursorOf(sort, after)).toBe(true);
        } while (after);
        const matching = new Set(stored.filter((row) => holds(row, filters)));
        expect(ids).toEqual(inOrder(orders, matching, sort, filters));
      }
    },
  );

  it('reads no table from end to end, whatever is asked for', async () => {
    const wrong: string[] = [];
    for (const [index, filters] of FILTERS.entries()) {
      const isTried = ({ descending }: TitleSearch['sort']) => descending === (index % 2 === 0);
      for (const sort of sortsOf(filters).filter(isTried)) {
        const first = await searched({ ...filters, sort });
        const statements = await statementsOf(database, async () => {
          await searched({ ...filters, sort });
          if (first.after) await searched({ ...filters, sort, page: 2, after: first.after });
        });
        for (const sql of new Set(statements))
          wrong.push(...(await fullScans(sql)).map((step) => `${step} of ${sql}`));
      }
    }
    expect([...new Set(wrong)]).toEqual([]);
  }, 300_000);

  /**
   * Steps that read on until the end. An index in whose order titles are gone through, or counted,
   * is left when the page is full.
   */
  async function fullScans(sql: string): Promise<string[]> {
    const sorted = (await planOf(database, sql)).some((step) =>
      /TEMP B-TREE FOR ORDER|filesort/.test(step),
    );
    const goesInOrder = (step: string) =>
      !sorted &&
      /ORDER BY .* LIMIT/.test(sql) &&
      /^(SCAN BookInfo USING (COVERING )?INDEX|BookInfo: index by) book_info_by_/.test(step);
    const looksAtFirst = (step: string) =>
      sql.includes('(SELECT id FROM book_info WHERE deleted_at IS NULL LIMIT') &&
      /^(SCAN book_info( USING COVERING INDEX \w+)?$|book_info: )/.test(step);
    return (await scans(database, sql)).filter((step) => !goesInOrder(step) && !looksAtFirst(step));
  }
});
