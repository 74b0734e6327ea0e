import { openLibrary, succeeded, type Library } from '../../support/clients/books';
import { startService } from '../../support/service/start-service';
import type { Reader } from '../../support/clients/requests';
import { waitUntil } from '../../support/wait';

/** HOLD_PICKUP_DAYS of two seconds, in a service of its own. */

const PICKUP_MS = 2000;
const DAY_MS = 24 * 3600 * 1000;
/** How long a copy may wait for the clock beyond its time, milliseconds. */
const PATIENCE_MS = 30_000;

let library: Library;
beforeAll(async () => {
  library = await openLibrary(
    (await startService({ env: { HOLD_PICKUP_DAYS: String(PICKUP_MS / DAY_MS) } })).target,
  );
}, 120_000);

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
