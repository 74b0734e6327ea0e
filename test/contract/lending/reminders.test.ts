import { openLibrary, type Library } from '../../support/clients/books';
import { keptEvents } from '../../support/clients/event-tour';
import { startService } from '../../support/service/start-service';
import { waitUntil } from '../../support/wait';

/** DUE_SOON_DAYS as long as a loan, so that every loan is due soon at once. */

const EVENTS_MS = 30_000;

let library: Library;
beforeAll(async () => {
  library = await openLibrary(
    (await startService({ env: { LOAN_DAYS: '1', DUE_SOON_DAYS: '1' } })).target,
  );
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
    EVENTS_MS,
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
    EVENTS_MS,
    async () => (await soonOf(last.bookInfoId)).length > 0,
  );
  expect(await soonOf(kept.bookInfoId)).toHaveLength(1);
  const types = (await eventsOf(other.bookInfoId)).map(({ type }) => type);
  expect(types.at(-1)).toBe('lending.borrow.returned');
});
