import { Library } from '../../support/clients/books';
import { startService } from '../../support/service/start-service';
import { newPoison, type Poison } from '../../support/faults/poison';
import { expectProblem } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';
import { waitUntil } from '../../support/wait';

/** Dead letters over HTTP, made by a fault in the code that decides. */

const REPLAYED_MS = 60_000;

let poison: Poison;
let library: Library;
beforeAll(async () => {
  poison = await newPoison();
  library = new Library((await startService({ env: poison.env })).target);
}, 180_000);

interface Letter {
  readonly letter: number;
  readonly aggregate: string;
  readonly parked: boolean;
  readonly state: string;
  readonly reason: string;
  readonly attempts: number;
  readonly commandId: string;
}

const list = async (query: string): Promise<{ items: Letter[]; next: number | null }> => {
  const { status, body } = await library.manage('get', `/api/console/dead-letters?${query}`);
  expect(status).toBe(200);
  return body;
};
const deadLettersOf = async (bookInfoId: number) =>
  (await list(`aggregate=book-info:${bookInfoId}`)).items;
const post = (letter: number) =>
  library.manage('post', `/api/console/dead-letters/${letter}/replay`);
const remove = (letter: number) => library.manage('delete', `/api/console/dead-letters/${letter}`);
const borrow = ({ token }: Reader, bookInfoId: number) =>
  library.call('post', '/api/borrows', { token, body: { bookInfoId } });

/** A title of which as many borrows as there are readers became dead letters. */
async function quarantined(copies: number, readers: readonly Reader[]): Promise<number> {
  const { bookInfoId } = await library.registered({ copies });
  await poison.set({ [bookInfoId]: 'throw' });
  for (const reader of readers)
    expectProblem(await borrow(reader, bookInfoId), 500, 'COMMAND_FAILED');
  await poison.lift();
  return bookInfoId;
}

it('are listed in their order with their reason, page by page, and shown whole', async () => {
  const bookInfoId = await quarantined(2, [
    library.newReader(),
    library.newReader(),
    library.newReader(),
  ]);
  const letters = await deadLettersOf(bookInfoId);
  expect(
    letters.map(({ parked, state, reason }) => [parked, state, reason.startsWith('parked behind')]),
  ).toEqual([
    [false, 'kept', false],
    [true, 'kept', true],
    [true, 'kept', true],
  ]);
  expect(letters[0]!.reason).toBe('TypeError: stock is undefined');
  const first = await list(`aggregate=book-info:${bookInfoId}&size=2`);
  const second = await list(`aggregate=book-info:${bookInfoId}&size=2&after=${first.next}`);
  expect([...first.items, ...second.items].map(({ letter }) => letter)).toEqual(
    letters.map(({ letter }) => letter),
  );
  expect(second.next).toBeNull();
  const { body } = await library.manage('get', `/api/console/dead-letters/${letters[0]!.letter}`);
  expect(body).toMatchObject({ letter: letters[0]!.letter, aggregate: `book-info:${bookInfoId}` });
  expect(JSON.parse(body.content as string)).toMatchObject({
    commandId: letters[0]!.commandId,
    payload: { bookInfoId },
  });
  for (const { letter } of [...letters].reverse()) expect((await remove(letter)).status).toBe(204);
});

it('are replayed all of an aggregate in their order, each with one effect however often it is asked for', async () => {
  const readers = [library.newReader(), library.newReader(), library.newReader()];
  const bookInfoId = await quarantined(2, readers);
  const letters = await deadLettersOf(bookInfoId);
  // By the last of them, and at the same time by several operators.
  const answers = await Promise.all(
    [letters[2]!, letters[0]!, letters[0]!].map(({ letter }) => post(letter)),
  );
  const all = letters.map(({ letter }) => letter);
  expect(answers.map(({ body }) => body.letters as unknown)).toContainEqual(all);
  for (const { status, body } of answers) {
    if (status === 404) continue;
    // An operator who comes late releases those that are left.
    const { length: left } = (body.letters ?? []) as number[];
    const released = { aggregate: `book-info:${bookInfoId}`, letters: all.slice(3 - left) };
    expect([status, body]).toEqual([202, released]);
  }
  await waitUntil(
    'all are carried out',
    REPLAYED_MS,
    async () => (await deadLettersOf(bookInfoId)).length === 0,
  );
  const endings = await Promise.all(
    letters.map(
      async ({ commandId }) => (await library.manage('get', `/api/commands/${commandId}`)).body,
    ),
  );
  expect(endings.map(({ status, problem }) => problem?.code ?? status)).toEqual([
    'succeeded',
    'succeeded',
    'OUT_OF_STOCK',
  ]);
  const { items } = (
    await library.manage('get', `/api/console/commands?id=${letters[0]!.commandId}`)
  ).body;
  // Each attempt has its own steps: the client was answered after the first one.
  const [track] = items as Record<string, unknown>[];
  expect(track).toMatchObject({
    status: 'succeeded',
    answeredAt: null,
    worker: expect.any(String),
    failures: [{ reason: 'TypeError: stock is undefined', parked: false }],
  });
  const [failure] = track!['failures'] as { failedAt: string; answeredAt: string | null }[];
  expect(Date.parse(failure!.failedAt)).toBeLessThanOrEqual(
    Date.parse(track!['takenAt'] as string),
  );
  expect(await library.detail(bookInfoId)).toMatchObject({ totalStock: 2, availableStock: 0 });
  expectProblem(await post(letters[0]!.letter), 404, 'DEAD_LETTER_NOT_FOUND');
  // The quarantine is over.
  expectProblem(await borrow(library.newReader(), bookInfoId), 409, 'OUT_OF_STOCK', { bookInfoId });
});

it('stay when the first fails again, and none behind it is carried out', async () => {
  const readers = [library.newReader(), library.newReader()];
  const bookInfoId = await quarantined(2, readers);
  const before = await deadLettersOf(bookInfoId);
  await poison.set({ [bookInfoId]: 'throw' });
  expect((await post(before[0]!.letter)).status).toBe(202);
  await waitUntil('it fails again', REPLAYED_MS, async () =>
    (await deadLettersOf(bookInfoId)).every(({ state }) => state === 'kept'),
  );
  const after = await deadLettersOf(bookInfoId);
  expect(after.map(({ letter }) => letter)).toEqual(before.map(({ letter }) => letter));
  expect([before, after].map((letters) => letters.map(({ attempts }) => attempts))).toEqual([
    [1, 0],
    [2, 0],
  ]);
  expect(await library.detail(bookInfoId)).toMatchObject({ availableStock: 2 });
  await poison.lift();
});

it('are discarded: the command stays failed, and the last one ends the quarantine', async () => {
  const bookInfoId = await quarantined(1, [library.newReader(), library.newReader()]);
  const letters = await deadLettersOf(bookInfoId);
  for (const { letter } of letters) expect((await remove(letter)).status).toBe(204);
  for (const { letter } of letters)
    expectProblem(await remove(letter), 404, 'DEAD_LETTER_NOT_FOUND');
  expect(
    (await library.manage('get', `/api/commands/${letters[0]!.commandId}`)).body,
  ).toMatchObject({ status: 'failed', problem: { code: 'COMMAND_FAILED' } });
  expect((await borrow(library.newReader(), bookInfoId)).status).toBe(201);
});
