import { openLibrary, succeeded, type Borrow, type Library } from '../../support/clients/books';
import { startService } from '../../support/service/start-service';
import { expectFaults, expectProblem, outcomesOf } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';

/** GET and PUT /api/loan-rules, in a service of its own, for the rules are those of all readers. */

const DAY_MS = 24 * 3600 * 1000;
const LOAN_DAYS = 11;

let library: Library;
beforeAll(async () => {
  library = await openLibrary(
    (await startService({ env: { LOAN_DAYS: String(LOAN_DAYS) } })).target,
  );
}, 120_000);

const put = (rules: readonly object[], headers = {}) =>
  library.manage('put', '/api/loan-rules', { rules }, headers);
const set = async (...rules: object[]): Promise<{ readonly version: number }> =>
  succeeded(await put(rules), 200);
const rule = (given: object) => ({
  ...{ category: '*', kind: '*', loanDays: null, renewalsMax: null },
  ...{ maxOpenBorrows: null, holdsMax: null, blockOverdueDays: null },
  ...given,
});
const loanDays = ({ borrowedAt, dueAt }: Borrow) =>
  (Date.parse(dueAt) - Date.parse(borrowedAt)) / DAY_MS;

/** A new title with one copy of a kind. */
async function titleOf(kind: string): Promise<number> {
  const { bookInfoId } = await library.registered();
  const path = `/api/book-infos/${bookInfoId}/books`;
  succeeded(await library.manage('post', path, { count: 1, kind }), 201);
  return bookInfoId;
}

/** Somebody of a category. */
async function readerOf(category: string): Promise<Reader> {
  const reader = library.newReader();
  succeeded(await library.call('get', '/api/borrow-histories', { token: reader.token }), 200);
  await library.borrow(reader, { bookInfoId: 999_999 });
  succeeded(await library.manage('patch', `/api/users/${reader.userId}`, { category }), 200);
  return reader;
}

describe('the loan rules', () => {
  it('are what their command came to', async () => {
    const given = rule({ category: 'student', kind: 'atlas' });
    const promise = await put([given], { Prefer: 'respond-async' });
    const { statusUrl }: { statusUrl: string } = succeeded(promise, 202);
    const command = await library.manage('get', `${statusUrl}?wait=30`);
    expect(command.body).toMatchObject({ status: 'succeeded', result: { rules: [given] } });
  });

  it('are shown to anyone, as they were set, with a version that counts their changes', async () => {
    const before: { version: number } = succeeded(
      await library.call('get', '/api/loan-rules'),
      200,
    );
    const given = { category: 'student', kind: 'dvd', loanDays: 7, holdsMax: 0 };
    const after = await set(given);
    expect(after).toEqual({
      rules: [rule(given)],
      version: before.version + 1,
      modifiedAt: expect.any(String),
    });
    for (const shown of await library.readEverywhere('/api/loan-rules')) {
      expect(shown.body).toEqual(after);
      expect(shown.headers['etag']).toBe(`"${after.version}"`);
    }
    expect(await set(given)).toEqual(after);
  });

  it('are set for the version that If-Match names, else 412', async () => {
    const { version } = await set(rule({ loanDays: 9 }));
    const stale = await put([], { 'If-Match': `"${version - 1}"` });
    expectProblem(stale, 412, 'VERSION_MISMATCH');
    expectProblem(await put([], { 'If-Match': '"x"' }), 412, 'VERSION_MISMATCH');
    const changed = await put([], { 'If-Match': `"${version}"` });
    expect(succeeded(changed, 200)).toMatchObject({ rules: [], version: version + 1 });
    expect(changed.headers['etag']).toBe(`"${version + 1}"`);
  });

  it('are checked: 400 for each value that is not allowed, and for two rules in one place', async () => {
    expectFaults(await put([rule({ loanDays: 0 }), rule({ kind: '' })]), {
      'rules[0].loanDays': 'OUT_OF_RANGE',
      'rules[1].kind': 'TOO_SHORT',
    });
    expectFaults(await put([rule({}), rule({ loanDays: 3 })]), {
      'rules.1': 'DUPLICATE',
    });
    expectFaults(await put(Array.from({ length: 201 }, (_, kind) => rule({ kind: `${kind}` }))), {
      rules: 'TOO_LONG',
    });
    expectFaults(await put([null as unknown as object]), { 'rules[0]': 'INVALID_TYPE' });
  });
});

describe('a borrow', () => {
  it('follows the most specific rule for its reader and copy', async () => {
    await set(
      { category: '*', kind: '*', loanDays: 1 },
      { category: '*', kind: 'dvd', loanDays: 2 },
      { category: 'student', kind: '*', loanDays: 3 },
      { category: 'student', kind: 'dvd', loanDays: 4 },
    );
    const [reader, student] = [library.newReader(), await readerOf('student')];
    const days = [];
    for (const one of [reader, student])
      for (const kind of ['book', 'dvd'])
        days.push(loanDays(await library.borrowed(one, { bookInfoId: await titleOf(kind) })));
    expect(days).toEqual([1, 2, 3, 4]);
  });

  it('follows the settings where that rule is silent, not a more general rule', async () => {
    await set(
      { category: '*', kind: '*', loanDays: 1, renewalsMax: 0 },
      { category: 'student', kind: '*', holdsMax: 1 },
    );
    const student = await readerOf('student');
    const borrow = await library.borrowed(student, { bookInfoId: await titleOf('book') });
    expect(loanDays(borrow)).toBe(LOAN_DAYS);
    succeeded(await library.renew(student, borrow.borrowId), 200);
    await set({ category: 'teacher', kind: '*', loanDays: 1 });
    const other = library.newReader();
    const settled = await library.borrowed(other, { bookInfoId: await titleOf('book') });
    expect(loanDays(settled)).toBe(LOAN_DAYS);
  });

  it('of a new reader and an ordinary copy goes by the rule for general readers and books', async () => {
    await set(
      { category: 'general', kind: 'book', loanDays: 6 },
      { category: 'student', kind: 'dvd', loanDays: 3 },
    );
    const reader = library.newReader();
    const { bookInfoId } = await library.single();
    expect(loanDays(await library.borrowed(reader, { bookInfoId }))).toBe(6);
    const other = await library.borrowed(reader, { bookInfoId: await titleOf('dvd') });
    expect(loanDays(other)).toBe(LOAN_DAYS);
  });

  it('that an administrator makes for a reader goes by the rules of that reader', async () => {
    await set({ category: 'student', kind: '*', loanDays: 3, maxOpenBorrows: 1 });
    const { userId } = await readerOf('student');
    const lend = async () =>
      library.manage('post', '/api/borrows', { bookInfoId: await titleOf('book'), userId });
    expect(loanDays(succeeded(await lend(), 201) as Borrow)).toBe(3);
    expectProblem(await lend(), 409, 'LOAN_LIMIT_REACHED');
  });

  it('follows rules that were set just before, at every worker', async () => {
    const titles = await Promise.all(Array.from({ length: 8 }, () => titleOf('book')));
    for (const days of [5, 6]) {
      await set({ category: '*', kind: '*', loanDays: days });
      const reader = library.newReader();
      const borrows = await Promise.all(
        titles.map((bookInfoId) => library.borrowed(reader, { bookInfoId })),
      );
      expect(borrows.map(loanDays)).toEqual(titles.map(() => days));
      await Promise.all(borrows.map(({ borrowId }) => library.returned(reader, { borrowId })));
    }
  });

  it('of a kind is limited, also when many are asked for at the same time', async () => {
    await set({ category: '*', kind: 'dvd', maxOpenBorrows: 2 });
    const titles = await Promise.all(Array.from({ length: 6 }, () => titleOf('dvd')));
    const reader = library.newReader();
    await library.borrowed(reader, { bookInfoId: await titleOf('book') });
    const answers = await Promise.all(
      titles.map((bookInfoId) => library.borrow(reader, { bookInfoId })),
    );
    expect(outcomesOf(answers)).toEqual({ 201: 2, '409 LOAN_LIMIT_REACHED': 4 });
    await library.borrowed(reader, { bookInfoId: await titleOf('book') });
  });

  it('is renewed as often as its rule says', async () => {
    await set({ category: '*', kind: '*', renewalsMax: 1, loanDays: 2 });
    const reader = library.newReader();
    const { borrowId } = await library.borrowed(reader, { bookInfoId: await titleOf('book') });
    expect(loanDays(succeeded(await library.renew(reader, borrowId), 200))).toBe(4);
    expectProblem(await library.renew(reader, borrowId), 409, 'RENEWAL_LIMIT_REACHED', {
      borrowId,
    });
  });
});

describe('holds', () => {
  it('are limited over all titles, also when many are placed at the same time', async () => {
    await set({ category: '*', kind: '*', holdsMax: 2 });
    const titles = await Promise.all(
      Array.from({ length: 6 }, async () => (await library.registered()).bookInfoId),
    );
    const reader = library.newReader();
    const answers = await Promise.all(titles.map((id) => library.placeHold(reader, id)));
    expect(outcomesOf(answers)).toEqual({ 201: 2, '409 HOLD_LIMIT_REACHED': 4 });
  });
});

describe('the kind of a copy', () => {
  it('is book by default, and can be changed even while the copy is on loan', async () => {
    const { bookInfoId, bookId } = await library.single();
    const path = `/api/book-infos/${bookInfoId}/books/${bookId}`;
    await library.borrowed(library.newReader(), { bookInfoId });
    expect(succeeded(await library.manage('patch', path, { kind: 'dvd' }), 200)).toEqual({
      ...{ bookId, bookInfoId, available: false, status: 'ON_LOAN' },
      ...{ kind: 'dvd', barcode: null },
    });
    expect((await library.copies(bookInfoId)).items[0]).toMatchObject({ kind: 'dvd' });
    expectFaults(await library.manage('patch', path, { kind: '*' }), { kind: 'INVALID_VALUE' });
    expectFaults(await library.manage('patch', path, {}), { body: 'REQUIRED' });
  });
});
