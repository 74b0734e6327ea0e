import {
  BORROW_KEYS,
  expectKeys,
  LIST_KEYS,
  openLibrary,
  type Borrow,
  type Library,
} from '../../support/clients/books';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';

/** GET /api/borrow-histories */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const idsOf = async (reader: Reader, query = ''): Promise<number[]> => {
  const { status, body } = await library.histories(reader, query);
  expect(status).toBe(200);
  return (body.items as Borrow[]).map(({ borrowId }) => borrowId);
};

async function borrowOne(reader: Reader): Promise<Borrow> {
  return library.borrowed(reader, { bookInfoId: (await library.single()).bookInfoId });
}

/** Three borrows of one user: returned, lost, open; each of another title. */
async function threeBorrows(reader: Reader) {
  const [returned, lost, open] = [
    await borrowOne(reader),
    await borrowOne(reader),
    await borrowOne(reader),
  ];
  await library.returned(reader, { borrowId: returned.borrowId });
  await library.setCopyStatus(lost, 'LOST');
  return { returned: returned.borrowId, lost: lost.borrowId, open: open.borrowId };
}

describe('a user', () => {
  it('sees only their own borrows, newest first', async () => {
    const [reader, other] = [library.newReader(), library.newReader()];
    const [first, , second] = [
      await borrowOne(reader),
      await borrowOne(other),
      await borrowOne(reader),
    ];
    const { body } = await library.histories(reader);
    expectKeys(body, LIST_KEYS);
    expect(body).toEqual({
      items: [second, first],
      page: 1,
      size: 20,
      totalItems: 2,
      totalPages: 1,
    });
    for (const item of body.items as object[]) expectKeys(item, BORROW_KEYS);
    expect((await library.histories(reader, '?me=true')).body).toEqual(body);
  });

  it('without borrows sees an empty list', async () => {
    expect((await library.histories(library.newReader())).body).toMatchObject({
      items: [],
      totalItems: 0,
    });
  });

  it('is 403 FORBIDDEN with me=false', async () => {
    expectProblem(await library.histories(library.newReader(), '?me=false'), 403, 'FORBIDDEN');
    expectProblem(
      await library.histories(library.newReader({ role: 'lecturer' }), '?me=false'),
      403,
      'FORBIDDEN',
    );
  });

  it('is 403 FORBIDDEN for the userId of somebody else', async () => {
    const reader = library.newReader();
    const { borrowId } = await borrowOne(reader);
    expectProblem(
      await library.histories(library.newReader(), `?userId=${reader.userId}`),
      403,
      'FORBIDDEN',
    );
    expect(await idsOf(reader, `?userId=${reader.userId}`)).toEqual([borrowId]);
  });
});

describe('an administrator', () => {
  it('sees the borrows of all', async () => {
    const admin = library.newReader({ isAdmin: true });
    const { bookInfoId } = await library.registered({ copies: 3 });
    const ids = [];
    for (const reader of [library.newReader(), admin, library.newReader()])
      ids.unshift((await library.borrowed(reader, { bookInfoId })).borrowId);
    for (const me of ['', '&me=false'])
      expect(await idsOf(admin, `?bookInfoId=${bookInfoId}${me}`)).toEqual(ids);
  });

  it('sees their own with me=true', async () => {
    const admin = library.newReader({ isAdmin: true });
    await borrowOne(library.newReader());
    const { borrowId } = await borrowOne(admin);
    expect(await idsOf(admin, '?me=true')).toEqual([borrowId]);
  });

  it('sees those of one user with userId', async () => {
    const [admin, reader] = [library.newReader({ isAdmin: true }), library.newReader()];
    await borrowOne(admin);
    const { borrowId } = await borrowOne(reader);
    expect(await idsOf(admin, `?userId=${reader.userId}`)).toEqual([borrowId]);
    expect(await idsOf(admin, `?userId=${library.target.newUserId()}`)).toEqual([]);
  });
});

describe('returned', () => {
  it('absent shows all, true the closed ones whether returned or lost, false the open ones', async () => {
    const reader = library.newReader();
    const { returned, lost, open } = await threeBorrows(reader);
    expect(await idsOf(reader)).toEqual([open, lost, returned]);
    expect(await idsOf(reader, '?returned=true')).toEqual([lost, returned]);
    expect(await idsOf(reader, '?returned=false')).toEqual([open]);
  });

  it('works for an administrator over all users', async () => {
    const reader = library.newReader();
    const { returned, lost, open } = await threeBorrows(reader);
    const admin = library.newReader({ isAdmin: true });
    expect(await idsOf(admin, `?userId=${reader.userId}&returned=true`)).toEqual([lost, returned]);
    expect(await idsOf(admin, `?userId=${reader.userId}&returned=false&me=false`)).toEqual([open]);
  });
});

it('overdue=true shows what is open and late, overdue=false all the rest', async () => {
  const reader = library.newReader();
  const { returned, lost, open } = await threeBorrows(reader);
  expect(await idsOf(reader, '?overdue=true')).toEqual([]);
  expect(await idsOf(reader, '?overdue=false')).toEqual([open, lost, returned]);
  expect(await idsOf(reader, '?overdue=false&returned=false')).toEqual([open]);
});

it('bookInfoId shows the borrows of one title', async () => {
  const reader = library.newReader();
  const [one, other] = [await borrowOne(reader), await borrowOne(reader)];
  expect(await idsOf(reader, `?bookInfoId=${one.bookInfoId}`)).toEqual([one.borrowId]);
  expect(await idsOf(reader, `?bookInfoId=${other.bookInfoId}&returned=true`)).toEqual([]);
});

it('in pages never repeats or skips a borrow, also those of the same moment', async () => {
  const reader = library.newReader();
  const { bookInfoIds } = {
    bookInfoIds: await Promise.all(
      Array.from({ length: 13 }, async () => (await library.single()).bookInfoId),
    ),
  };
  await Promise.all(bookInfoIds.map((bookInfoId) => library.borrowed(reader, { bookInfoId })));
  const items = await library.allPages<Borrow>('/api/borrow-histories?me=true', 3, reader.token);
  expect(items.map(({ bookInfoId }) => bookInfoId).sort((a, b) => a - b)).toEqual(
    bookInfoIds.sort((a, b) => a - b),
  );
  const order = items.map(({ borrowedAt, borrowId }) => [borrowedAt, borrowId] as const);
  expect(order).toEqual([...order].sort(([a, x], [b, y]) => b.localeCompare(a) || y - x));
  const response = await library.histories(reader, '?page=5&size=3');
  expect(response.body).toMatchObject({
    page: 5,
    size: 3,
    totalItems: 13,
    totalPages: 5,
    items: [{ borrowId: items[12]?.borrowId }],
  });
  expect(response.headers['x-total-count']).toBe('13');
});

it.each(['?me', '?me='])('%s is me=true, also of an administrator', async (query) => {
  const admin = library.newReader({ isAdmin: true });
  const { borrowId } = await borrowOne(admin);
  await borrowOne(library.newReader());
  expect(await idsOf(admin, query)).toEqual([borrowId]);
});

it.each<[string, Record<string, string>]>([
  ['?me=1', { me: 'INVALID_VALUE' }],
  ['?returned=no', { returned: 'INVALID_VALUE' }],
  ['?overdue=TRUE', { overdue: 'INVALID_VALUE' }],
  ['?userId=0', { userId: 'INVALID_TYPE' }],
  ['?bookInfoId=x', { bookInfoId: 'INVALID_TYPE' }],
  ['?sort=title', { sort: 'UNKNOWN_PARAMETER' }],
  ['?me=true&me=false', { me: 'REPEATED_PARAMETER' }],
])('400 VALIDATION_FAILED for %s', async (query, faults) => {
  expectFaults(await library.histories(library.newReader(), query), faults);
});
