import { openLibrary, type Library } from '../../support/clients/books';
import { expectFaults } from '../../support/clients/problems';
import { waitUntil } from '../../support/wait';

/** GET /api/console/commands: a command is found, and its way is told. */

/** How long it may take until what the API knows alone is written down, milliseconds. */
const WRITTEN_MS = 30_000;
const STEPS = ['receivedAt', 'confirmedAt', 'takenAt', 'decidedAt', 'committedAt', 'answeredAt'];

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const search = async (query: string) => {
  const { status, body } = await library.manage('get', `/api/console/commands?${query}`);
  expect(status).toBe(200);
  return body;
};

it('a command is found by aggregate, user and id, with every step of its timeline in order', async () => {
  const { bookInfoId } = await library.registered({ copies: 1 });
  const reader = library.newReader();
  await library.borrowed(reader, { bookInfoId });
  const [found] = await waitUntil('the way of the borrow', WRITTEN_MS, async () => {
    const { items } = await search(`aggregate=book-info:${bookInfoId}`);
    return items[0].answeredAt !== null && items;
  });
  expect(found).toMatchObject({
    type: 'lending.borrow-book',
    status: 'succeeded',
    code: null,
    userId: reader.userId,
    aggregate: `book-info:${bookInfoId}`,
  });
  const way = STEPS.map((step) => found[step] as string);
  expect(way).not.toContain(null);
  // The confirm comes when it comes: the worker may have the command before.
  const [received, confirmed, ...later] = way;
  expect([received, ...later]).toEqual([received, ...later].sort());
  expect(confirmed! >= received!).toBe(true);
  const byUser = await search(`userId=${reader.userId}`);
  expect(byUser.items.map(({ type }: { type: string }) => type)).toContain('lending.borrow-book');
  expect((await search(`id=${found.commandId}`)).items).toEqual([found]);
  expect(
    (await search(`id=${found.commandId}&userId=${library.target.newUserId()}`)).items,
  ).toEqual([]);
});

it('a refused command shows only its refusal and code', async () => {
  const { bookInfoId } = await library.registered({ copies: 0 });
  const reader = library.newReader();
  expect(
    (await library.call('post', '/api/borrows', { token: reader.token, body: { bookInfoId } }))
      .status,
  ).toBe(409);
  const [found] = (await search(`userId=${reader.userId}&aggregate=book-info:${bookInfoId}`)).items;
  expect(found).toMatchObject({
    status: 'failed',
    code: 'OUT_OF_STOCK',
    detail: expect.stringMatching(/^No copy of ".+" is available\. Place a hold/),
  });
});

it('a command without a waiting client has a timeline without an answer', async () => {
  const { bookInfoId } = await library.registered();
  const { body } = await library.manage(
    'post',
    `/api/book-infos/${bookInfoId}/books`,
    { count: 1 },
    { Prefer: 'respond-async' },
  );
  const found = await waitUntil('the way of the promise', WRITTEN_MS, async () =>
    (await search(`id=${body.commandId}`)).items.find(
      (item: { status: string; confirmedAt: string | null }) =>
        item.status === 'succeeded' && item.confirmedAt,
    ),
  );
  expect(found).toMatchObject({
    answeredAt: null,
    committedAt: null,
    takenAt: expect.any(String),
    decidedAt: expect.any(String),
  });
});

it('commands come page by page, the newest first, without repeating or skipping', async () => {
  const { bookInfoId } = await library.registered();
  for (let times = 0; times < 5; times += 1)
    expect(
      (await library.manage('post', `/api/book-infos/${bookInfoId}/books`, { count: 1 })).status,
    ).toBe(201);
  const aggregate = `aggregate=book-info:${bookInfoId}`;
  const all = (await search(aggregate)).items.map(
    ({ commandId }: { commandId: string }) => commandId,
  );
  expect(all).toEqual([...all].sort().reverse());
  const paged: string[] = [];
  for (let next: string | null = ''; next !== null;) {
    const page: { items: { commandId: string }[]; next: string | null } = await search(
      `${aggregate}&size=2${next && `&before=${next}`}`,
    );
    paged.push(...page.items.map(({ commandId }) => commandId));
    next = page.next;
  }
  expect(paged).toEqual(all);
  expect(all.length).toBeGreaterThanOrEqual(5);
});

it('finds nothing for unknown ids, and refuses malformed ones', async () => {
  expect(await search(`id=${'0'.repeat(40)}`)).toEqual({ items: [], next: null });
  expect(await search('aggregate=book-info:0')).toEqual({ items: [], next: null });
  expectFaults(await library.manage('get', '/api/console/commands?id=7'), { id: 'INVALID_FORMAT' });
  expectFaults(await library.manage('get', '/api/console/commands?before=7&userId=x&limit=1'), {
    before: 'INVALID_FORMAT',
    userId: expect.any(String),
    limit: 'UNKNOWN_PARAMETER',
  });
});
