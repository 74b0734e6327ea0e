import { openLibrary, succeeded, type Library } from '../../support/clients/books';
import { keptEvents } from '../../support/clients/event-tour';
import { NOTHING, noticesOf } from '../../support/clients/notices';
import type { Reader } from '../../support/clients/requests';
import { startService } from '../../support/service/start-service';
import { waitUntil } from '../../support/wait';

/**
 * A service of its own, in which a copy is set aside for two seconds, and every loan is due soon at
 * once.
 */

const PICKUP_MS = 2000;
const DAY_MS = 24 * 3600 * 1000;
/** How long the clock may take beyond a time, milliseconds. */
const PATIENCE_MS = 30_000;

let library: Library;
beforeAll(async () => {
  const env = {
    HOLD_PICKUP_DAYS: String(PICKUP_MS / DAY_MS),
    LOAN_DAYS: '1',
    DUE_SOON_DAYS: '1',
  };
  // One of the workers leads, and does what time brings.
  library = await openLibrary((await startService({ env, workers: 2 })).target);
}, 120_000);

const eventsOf = (bookInfoId: number) => keptEvents(library, `book-info:${bookInfoId}`);

const soonOf = async (bookInfoId: number) =>
  (await eventsOf(bookInfoId)).filter(({ type }) => type === 'lending.borrow.due-soon');

it('a borrow that is due soon is told once, in the order of its title, and not after its return', async () => {
  const [kept, other] = [await library.single(), await library.single()];
  const reader = library.newReader();
  const borrow = await library.borrowed(reader, { bookInfoId: kept.bookInfoId });
  await library.borrowed(reader, { bookInfoId: other.bookInfoId });
  await library.returned(reader, { bookInfoId: other.bookInfoId });
  await waitUntil(
    'the borrow is told',
    PATIENCE_MS,
    async () => (await soonOf(kept.bookInfoId)).length > 0,
  );
  expect(await soonOf(kept.bookInfoId)).toMatchObject([
    { aggregateId: `book-info:${kept.bookInfoId}`, data: borrow },
  ]);
  // What is lent after all of these is told after them, so by then they would be.
  const last = await library.single();
  await library.borrowed(reader, { bookInfoId: last.bookInfoId });
  await waitUntil(
    'the last borrow is told',
    PATIENCE_MS,
    async () => (await soonOf(last.bookInfoId)).length > 0,
  );
  expect(await soonOf(kept.bookInfoId)).toHaveLength(1);
  const types = (await eventsOf(other.bookInfoId)).map(({ type }) => type);
  expect(types.at(-1)).toBe('lending.borrow.returned');
});

const placed = async (reader: Reader, bookInfoId: number): Promise<number> =>
  succeeded(await library.placeHold(reader, bookInfoId), 201).holdId as number;
const get = async (reader: Reader, holdId: number) =>
  succeeded(await library.call('get', `/api/holds/${holdId}`, { token: reader.token }), 200);

it('a copy that is not collected in time goes to the next in line, and finally to the shelf', async () => {
  const { bookInfoId, bookId } = await library.single();
  const borrower = library.newReader();
  await library.borrowed(borrower, { bookInfoId });
  const [first, second] = [library.newReader(), library.newReader()];
  const [firstHold, secondHold] = [
    await placed(first, bookInfoId),
    await placed(second, bookInfoId),
  ];
  await library.returned(borrower, { bookInfoId });
  // It is ready for two seconds, which a busy machine may miss.
  await waitUntil(
    'the second hold waits no more',
    PATIENCE_MS,
    async () => (await get(second, secondHold)).status !== 'WAITING',
  );
  const expired = await get(first, firstHold);
  expect(expired).toMatchObject({ status: 'EXPIRED', bookId });
  expect(Date.parse(expired.closedAt as string)).toBeGreaterThanOrEqual(
    Date.parse(expired.expiresAt as string),
  );
  const { availableStock } = await library.detail(bookInfoId);
  if ((await get(second, secondHold)).status === 'READY') expect(availableStock).toBe(0);
  await waitUntil(
    'the copy is available',
    PATIENCE_MS,
    async () => (await library.detail(bookInfoId)).availableStock === 1,
  );
  // With the copy: it was ready before.
  expect(await get(second, secondHold)).toMatchObject({ status: 'EXPIRED', bookId });
  await library.borrowed(library.newReader(), { bookInfoId });
});

it('a reader gets a notice that the copy set aside went to the next reader', async () => {
  const { bookInfoId } = await library.single();
  const [borrower, waiting] = [library.newReader(), library.newReader()];
  await library.borrowed(borrower, { bookInfoId });
  const { holdId } = succeeded(await library.placeHold(waiting, bookInfoId), 201);
  await library.returned(borrower, { bookInfoId });
  await waitUntil('the hold has expired', PATIENCE_MS, async () => {
    const [latest] = await noticesOf(library, waiting);
    return latest?.type === 'lending.hold.expired' && latest.holdId === holdId;
  });
  expect(await noticesOf(library, waiting)).toHaveLength(2);
});

it('a reader gets a notice that a borrow is due soon', async () => {
  const { bookInfoId } = await library.single();
  const reader = library.newReader();
  const { borrowId, dueAt } = await library.borrowed(reader, { bookInfoId });
  await waitUntil(
    'the borrow is told',
    PATIENCE_MS,
    async () => (await noticesOf(library, reader)).length > 0,
  );
  expect(await noticesOf(library, reader)).toMatchObject([
    { ...NOTHING, type: 'lending.borrow.due-soon', bookInfoId, borrowId, until: dueAt },
  ]);
});
