import {
  BORROW_KEYS,
  expectKeys,
  openLibrary,
  succeeded,
  type Borrow,
  type Library,
} from '../../support/clients/books';
import { expectProblem, outcomesOf } from '../../support/clients/problems';

/** POST /api/borrows/{borrowId}/renewals */

const DAY_MS = 24 * 3600 * 1000;

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

async function onLoan() {
  const { bookInfoId } = await library.single();
  const reader = library.newReader();
  const borrow = await library.borrowed(reader, { bookInfoId });
  return { reader, borrow, borrowId: borrow.borrowId };
}

const daysBetween = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / DAY_MS;

it('is 200 with the Borrow, due 14 days later than before', async () => {
  const { reader, borrow, borrowId } = await onLoan();
  const renewed: Borrow = succeeded(await library.renew(reader, borrowId), 200);
  expectKeys(renewed, BORROW_KEYS);
  expect(renewed).toEqual({ ...borrow, dueAt: renewed.dueAt, renewalCount: 1 });
  expect(daysBetween(borrow.dueAt, renewed.dueAt)).toBe(14);
  expect(
    (await library.call('get', `/api/borrows/${borrowId}`, { token: reader.token })).body,
  ).toEqual(renewed);
  expect((await library.histories(reader)).body.items).toEqual([renewed]);
});

it('is possible twice; the third is 409 RENEWAL_LIMIT_REACHED with the id of the borrow', async () => {
  const { reader, borrow, borrowId } = await onLoan();
  succeeded(await library.renew(reader, borrowId), 200);
  const second: Borrow = succeeded(await library.renew(reader, borrowId), 200);
  expect([second.renewalCount, daysBetween(borrow.borrowedAt, second.dueAt)]).toEqual([2, 42]);
  expectProblem(await library.renew(reader, borrowId), 409, 'RENEWAL_LIMIT_REACHED', { borrowId });
  expect(
    (await library.call('get', `/api/borrows/${borrowId}`, { token: reader.token })).body,
  ).toEqual(second);
});

it('of ten at the same time exactly two are made', async () => {
  const { reader, borrow, borrowId } = await onLoan();
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => library.renew(reader, borrowId)),
  );
  expect(outcomesOf(responses)).toEqual({ 200: 2, '409 RENEWAL_LIMIT_REACHED': 8 });
  const { body } = await library.call('get', `/api/borrows/${borrowId}`, { token: reader.token });
  expect([body.renewalCount, daysBetween(borrow.borrowedAt, body.dueAt as string)]).toEqual([
    2, 42,
  ]);
});

it('of a borrow that was renewed and returned starts anew with the next borrow', async () => {
  const { reader, borrow, borrowId } = await onLoan();
  succeeded(await library.renew(reader, borrowId), 200);
  expect((await library.returned(reader, { borrowId })).renewalCount).toBe(1);
  expect((await library.borrowed(reader, { bookInfoId: borrow.bookInfoId })).renewalCount).toBe(0);
});

it('of a borrow that is closed is 409 ALREADY_RETURNED with its id, also when no renewal was left', async () => {
  const { reader, borrowId } = await onLoan();
  for (let count = 0; count < 2; count += 1) succeeded(await library.renew(reader, borrowId), 200);
  await library.returned(reader, { borrowId });
  expectProblem(await library.renew(reader, borrowId), 409, 'ALREADY_RETURNED', { borrowId });
});

it('is possible for an administrator', async () => {
  const { reader, borrowId } = await onLoan();
  expect(
    succeeded(await library.manage('post', `/api/borrows/${borrowId}/renewals`), 200),
  ).toMatchObject({ borrowId, userId: reader.userId, renewalCount: 1 });
});

it('is 404 BORROW_NOT_FOUND for anybody else and for a borrow that does not exist', async () => {
  const { reader, borrow, borrowId } = await onLoan();
  expectProblem(await library.renew(library.newReader(), borrowId), 404, 'BORROW_NOT_FOUND');
  expectProblem(await library.renew(reader, library.target.newUserId()), 404, 'BORROW_NOT_FOUND');
  expect(
    (await library.call('get', `/api/borrows/${borrowId}`, { token: reader.token })).body,
  ).toEqual(borrow);
});
