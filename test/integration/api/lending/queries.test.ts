import type { Sequelize } from 'sequelize-typescript';
import { findBorrow, findBorrowRoute, findBorrows } from '../../../../api/lending/borrow-queries';
import { popularTitles } from '../../../../api/lending/popular-titles';
import {
  findCopies,
  findTitle,
  findTitleNumbers,
  titleOfCopy,
} from '../../../../api/lending/queries';
import { searchTitles, type TitleSearch } from '../../../../api/lending/title-search';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { daysAgo, fillWithSamples, LARGE_ID, NOW } from './lending-samples';

describe.each(DIALECTS)('queries on %s', (dialect) => {
  let database: Sequelize;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
    await fillWithSamples();
  });

  const byId = { field: 'createdAt', descending: false } as const;
  const search = (query: Partial<TitleSearch>) =>
    searchTitles(database, { page: 1, size: 20, sort: byId, ...query });
  const ids = async (query: Partial<TitleSearch>) =>
    (await search(query)).items.map(({ bookInfoId }) => bookInfoId);

  it('searches titles and authors by any part of them, whatever the case', async () => {
    expect(await ids({ title: 'DEMIAN' })).toEqual([1, LARGE_ID]);
    expect(await ids({ title: 'À paris' })).toEqual([3]);
    expect(await ids({ title: '지' })).toEqual([2]);
    expect(await ids({ author: 'éMILE' })).toEqual([3]);
    expect(await ids({ author: '경리' })).toEqual([2]);
    expect(await ids({ author: 'emile' })).toEqual([]);
  });

  it('takes wildcards, quotes and backslashes for themselves', async () => {
    expect(await ids({ title: '100%' })).toEqual([4]);
    expect(await ids({ title: '%' })).toEqual([4]);
    expect(await ids({ title: '_' })).toEqual([6]);
    expect(await ids({ title: '\\' })).toEqual([7]);
    expect(await ids({ title: "o'b" })).toEqual([7]);
    expect(await ids({ title: '!' })).toEqual([7]);
    expect(await ids({ author: '%_\\a' })).toEqual([4, 5, 6, 7]);
  });

  it('finds an ISBN in each of its forms', async () => {
    expect(await ids({ isbn: '978-0-306-40615-7' })).toEqual([1]);
    expect(await ids({ isbn: '0 306 40615 2' })).toEqual([1]);
    expect(await ids({ isbn: '40615' })).toEqual([1]);
    expect(await ids({ isbn: '%' })).toEqual([]);
  });

  it('looks for q in title, author and ISBN, and wants all filters to hold', async () => {
    expect(await ids({ q: 'zola' })).toEqual([3]);
    expect(await ids({ q: 'demian' })).toEqual([1, LARGE_ID]);
    expect(await ids({ q: '0-306-40615-2' })).toEqual([1]);
    expect(await ids({ q: '-' })).toEqual([]);
    expect(await ids({ q: 'hesse', title: 'again', available: true })).toEqual([LARGE_ID]);
    expect(await ids({ available: false, title: 'snake' })).toEqual([6, 7]);
  });

  it('includes both ends of a range of days', async () => {
    expect(await ids({ publishedFrom: '1919-01-01', publishedTo: '2024-02-29' })).toEqual([1, 5]);
    expect(await ids({ publishedTo: '0800-12-31' })).toEqual([2, 3]);
    expect(await ids({ publishedFrom: '0800-12-31', publishedTo: '0800-12-31' })).toEqual([2]);
    expect(await ids({ publishedTo: '9999-12-31' })).toEqual([1, 2, 3, 4, 5]);
  });

  it('writes every year with four digits', async () => {
    const dates = await Promise.all(
      [2, 3, 4, 5, 6].map(async (id) => (await findTitle(id))?.publicationDate),
    );
    expect(dates).toEqual(['0800-12-31', '0050-02-01', '9999-12-31', '2024-02-29', null]);
  });

  it('sorts by each field, and by id where it is equal', async () => {
    const sorted = (field: TitleSearch['sort']['field'], descending: boolean) =>
      ids({ sort: { field, descending } });
    expect(await sorted('createdAt', true)).toEqual([LARGE_ID, 7, 6, 5, 4, 3, 2, 1]);
    expect((await sorted('title', false)).slice(0, 4)).toEqual([5, 4, 1, LARGE_ID]);
    expect((await sorted('popularity', true)).slice(0, 4)).toEqual([2, LARGE_ID, 1, 7]);
    expect((await sorted('availableStock', true)).slice(0, 3)).toEqual([1, LARGE_ID, 3]);
    expect(await sorted('publicationDate', false)).toEqual([6, 7, LARGE_ID, 3, 2, 1, 5, 4]);
  });

  it('pages without a gap and tells the total on every page, also past the end', async () => {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => search({ page, size: 3 })));
    expect(pages.map(({ totalItems }) => totalItems)).toEqual([8, 8, 8, 8]);
    expect(pages.flatMap(({ items }) => items.map(({ bookInfoId }) => bookInfoId))).toEqual([
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      LARGE_ID,
    ]);
    expect(await search({ page: LARGE_ID, size: 100, q: 'demian' })).toEqual({
      items: [],
      totalItems: 2,
      ended: true,
    });
  });

  it('shows a title with numbers and instants, and no deleted one', async () => {
    expect(await findTitle(LARGE_ID)).toEqual({
      ...{
        bookInfoId: LARGE_ID,
        title: 'demian again',
        author: 'Herman Hesse',
        authorId: 1,
        isbn: null,
        publicationDate: null,
        bookImg: null,
      },
      ...{
        totalStock: 1,
        availableStock: 1,
        version: 1,
        createdAt: daysAgo(94).toISOString(),
        modifiedAt: NOW.toISOString(),
      },
    });
    expect(await findTitleNumbers(LARGE_ID)).toEqual({
      version: 1,
      totalStock: 1,
      availableStock: 1,
    });
    expect(await findTitle(8)).toBeNull();
    expect(await findTitleNumbers(8)).toBeNull();
  });

  it('lists copies, the withdrawn too and the deleted not', async () => {
    const copies = await findCopies(1, { page: 1, size: 20 });
    expect(copies.items.map(({ bookId }) => bookId)).toEqual([11, 12, 13, 14]);
    expect(copies.items[1]).toEqual({
      bookId: 12,
      bookInfoId: 1,
      available: false,
      status: 'ON_LOAN',
      kind: 'book',
      barcode: null,
    });
    expect(
      (await findCopies(1, { page: 1, size: 20, available: true })).items.map(
        ({ bookId }) => bookId,
      ),
    ).toEqual([11]);
    expect(
      (await findCopies(1, { page: 1, size: 20, status: 'WITHDRAWN' })).items.map(
        ({ bookId }) => bookId,
      ),
    ).toEqual([13]);
    expect(await findCopies(1, { page: 9, size: 20, available: false })).toEqual({
      items: [],
      totalItems: 3,
      ended: true,
    });
  });

  it('ranks titles by their borrows in the days asked for, without deleted ones', async () => {
    const ranking = async (days: number, size: number) =>
      (await popularTitles(database, days, size, NOW)).map(({ bookInfoId, borrowCount }) => [
        bookInfoId,
        borrowCount,
      ]);
    expect(await ranking(30, 10)).toEqual([
      [1, 3],
      [2, 1],
    ]);
    expect(await ranking(365, 1)).toEqual([[1, 4]]);
    expect(await ranking(4, 10)).toEqual([[1, 1]]);
    expect(await ranking(1, 10)).toEqual([]);
  });

  it('shows borrows with the names of user and title, also of a deleted title', async () => {
    expect(await findBorrow(22, NOW)).toEqual({
      ...{
        borrowId: 22,
        userId: 1,
        username: 'ada',
        bookInfoId: 1,
        bookId: 12,
        title: 'Demian',
        renewalCount: 0,
        overdue: true,
        status: 'BORROWED',
      },
      ...{
        borrowedAt: daysAgo(20).toISOString(),
        dueAt: daysAgo(6).toISOString(),
        returnedAt: null,
      },
    });
    expect((await findBorrow(26, NOW))?.title).toBe('Demian, deleted');
    expect(await findBorrow(99, NOW)).toBeNull();
  });

  it('filters histories, the newest first', async () => {
    const histories = async (filters: object) =>
      (await findBorrows({ page: 1, size: 20, ...filters }, NOW)).items.map(
        ({ borrowId }) => borrowId,
      );
    expect(await histories({})).toEqual([26, 25, 24, 23, 22, 21]);
    expect(await histories({ userId: 1 })).toEqual([26, 22, 21]);
    expect(await histories({ returned: false })).toEqual([24, 22]);
    expect(await histories({ returned: true, bookInfoId: 1 })).toEqual([25, 23, 21]);
    expect(await histories({ overdue: true })).toEqual([22]);
    expect(await histories({ overdue: false, userId: 2 })).toEqual([25, 24, 23]);
    expect(await findBorrows({ page: 3, size: 4 }, NOW)).toEqual({
      items: [],
      totalItems: 6,
      ended: true,
    });
  });

  it('finds the title of a copy and of a borrow', async () => {
    expect(await titleOfCopy(15)).toBe(1);
    expect(await titleOfCopy(99)).toBeNull();
    expect(await findBorrowRoute(24)).toEqual({ bookInfoId: 2, bookId: 16, userId: 2 });
    expect(await findBorrowRoute(99)).toBeNull();
  });
});
