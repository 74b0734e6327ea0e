import { randomUUID } from 'node:crypto';
import { openLibrary, succeeded, type Library } from '../../support/clients/books';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** POST /api/borrows?dryRun=true */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const check = (token: string, body: object, query = 'dryRun=true') =>
  library.call('post', `/api/borrows?${query}`, { token, body });

describe('a dry run of a borrow', () => {
  it('is allowed when nothing stands in the way, and borrows nothing', async () => {
    const { bookInfoId } = await library.single();
    const reader = library.newReader();
    expect(succeeded(await check(reader.token, { bookInfoId }), 200)).toEqual({
      allowed: true,
      blockers: [],
    });
    expect((await library.histories(reader)).body).toMatchObject({ totalItems: 0 });
    expect(await library.detail(bookInfoId)).toMatchObject({ availableStock: 1 });
    await library.borrowed(reader, { bookInfoId });
  });

  it('lists every refusal with its ids, beginning with the one that a borrow gets', async () => {
    const { bookInfoId } = await library.single();
    const reader = library.newReader();
    const { borrowId } = await library.borrowed(reader, { bookInfoId });
    const { allowed, blockers } = succeeded(await check(reader.token, { bookInfoId }), 200) as {
      allowed: boolean;
      blockers: { code: string; detail: string }[];
    };
    expect(allowed).toBe(false);
    expect(blockers).toMatchObject([
      { code: 'ALREADY_BORROWED', borrowId },
      { code: 'OUT_OF_STOCK', bookInfoId },
    ]);
    const refused = await library.borrow(reader, { bookInfoId });
    expectProblem(refused, 409, 'ALREADY_BORROWED', { borrowId });
    expect(refused.body).toMatchObject({ detail: blockers[0]?.detail });
  });

  it('of an unknown title says so, and of an unknown copy is 404 as a borrow is', async () => {
    const reader = library.newReader();
    expect(succeeded(await check(reader.token, { bookInfoId: 2 ** 52 }), 200)).toMatchObject({
      allowed: false,
      blockers: [{ code: 'BOOK_INFO_NOT_FOUND' }],
    });
    expectProblem(await check(reader.token, { bookId: 2 ** 52 }), 404, 'BOOK_NOT_FOUND');
  });

  it('by an administrator is that of the reader whom userId names', async () => {
    const { bookInfoId, bookId } = await library.single();
    const reader = library.newReader();
    const { borrowId } = await library.borrowed(reader, { bookInfoId });
    const body = { bookId, userId: reader.userId };
    expect(succeeded(await check(library.target.admin, body), 200)).toMatchObject({
      allowed: false,
      blockers: [{ code: 'ALREADY_BORROWED', borrowId }, { code: 'COPY_NOT_AVAILABLE' }],
    });
    expectProblem(await check(library.newReader().token, body), 403, 'FORBIDDEN');
  });

  it('is another request than the borrow with the same Idempotency-Key', async () => {
    const { bookInfoId } = await library.single();
    const { token } = library.newReader();
    const headers = { 'Idempotency-Key': randomUUID() };
    const send = (dryRun: boolean) =>
      library.call('post', `/api/borrows?dryRun=${dryRun}`, {
        token,
        headers,
        body: { bookInfoId },
      });
    expect(succeeded(await send(true), 200)).toMatchObject({ allowed: true });
    expectProblem(await send(false), 422, 'IDEMPOTENCY_KEY_REUSED');
    expect(await library.detail(bookInfoId)).toMatchObject({ availableStock: 1 });
  });

  it('takes true and false alone', async () => {
    const { bookInfoId } = await library.single();
    const reader = library.newReader();
    expect((await check(reader.token, { bookInfoId }, 'dryRun=false')).status).toBe(201);
    expectFaults(await check(reader.token, { bookInfoId }, 'dryRun=yes'), {
      dryRun: 'INVALID_VALUE',
    });
  });
});
