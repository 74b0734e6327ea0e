import { openLibrary, type Library } from '../../support/clients/books';
import { LIST_PATHS, openCampus, type Campus } from '../../support/clients/courses';
import type { Reader } from '../../support/clients/requests';

/**
 * What depends on who asks is never shown to another because somebody asked before. Each list is
 * asked for in every order, at every API.
 */

let library: Library;
let campus: Campus;
let admin: Reader;
beforeAll(async () => {
  library = await openLibrary();
  campus = await openCampus();
  admin = library.newReader({ isAdmin: true });
});

interface Asker {
  readonly who: string;
  readonly token?: string;
  /** The status, or what is in the list. */
  readonly sees: number | readonly unknown[];
}

const ORDERS = [
  [0, 1, 2, 3],
  [3, 2, 1, 0],
  [1, 0, 3, 2],
  [2, 3, 0, 1],
];

/** Everyone asks in this order, twice, and each sees what is theirs. */
async function expectApart(
  path: string,
  askers: readonly Asker[],
  order: readonly number[],
  id: string,
): Promise<void> {
  for (const index of [...order, ...order]) {
    const { who, token, sees } = askers[index] as Asker;
    for (const { status, body, headers } of await library.readEverywhere(path, token)) {
      const seen =
        typeof sees === 'number'
          ? status
          : (body.items as Record<string, unknown>[]).map((item) => item[id]);
      expect({ who, path, seen }).toEqual({ who, path, seen: sees });
      if (typeof sees !== 'number') continue;
      expect(body.items).toBeUndefined();
      expect(headers['etag']).toBeUndefined();
    }
  }
}

describe.each(ORDERS)('asked for in the order %i, %i, %i, %i', (...order) => {
  it.each(LIST_PATHS.map((path) => [path(':user'), path] as const))(
    "a user's courses at %s are for that user and administrators",
    async (_name, pathOf) => {
      const [owner, stranger] = [campus.newReader(), await campus.knownReader()];
      const { courseId } = await campus.registered();
      await campus.subscribed(owner, courseId);
      const askers: Asker[] = [
        { who: 'owner', token: owner.token, sees: [courseId] },
        { who: 'administrator', token: admin.token, sees: [courseId] },
        { who: 'stranger', token: stranger.token, sees: 403 },
        { who: 'nobody', sees: 401 },
      ];
      await expectApart(pathOf(owner.userId), askers, order, 'courseId');
      // An ETag that is known does not open it either.
      const { headers } = await library.call('get', pathOf(owner.userId), { token: owner.token });
      expect(
        (
          await library.call('get', pathOf(owner.userId), {
            token: stranger.token,
            headers: { 'If-None-Match': headers.etag ?? '' },
          })
        ).status,
      ).toBe(403);
    },
  );

  it('shows addresses of videos to the lecturer, administrators and subscribers', async () => {
    const [lecturer, other, taking] = [
      campus.newLecturer(),
      campus.newLecturer(),
      campus.newReader(),
    ];
    const { courseId } = await campus.registered({}, lecturer);
    const { url } = await campus.addedVideo(courseId);
    await campus.subscribed(taking, courseId);
    const askers: Asker[] = [
      { who: 'lecturer', token: lecturer.token, sees: [url] },
      { who: 'subscriber', token: taking.token, sees: [url] },
      { who: 'another lecturer', token: other.token, sees: [null] },
      { who: 'nobody', sees: [null] },
    ];
    for (const word of ['videos', 'clips'])
      await expectApart(`/courses/${courseId}/${word}`, askers, order, 'url');
  });

  it('shows histories to the borrower, and all of a title to administrators', async () => {
    const [one, two, stranger] = [library.newReader(), library.newReader(), library.newReader()];
    const { bookInfoId } = await library.registered({ copies: 2 });
    const first = await library.borrowed(one, { bookInfoId });
    const second = await library.borrowed(two, { bookInfoId });
    const seenBy = (all: readonly number[]): Asker[] => [
      { who: 'one', token: one.token, sees: [first.borrowId] },
      { who: 'two', token: two.token, sees: [second.borrowId] },
      { who: 'stranger', token: stranger.token, sees: [] },
      { who: 'administrator', token: admin.token, sees: all },
    ];
    const all = await library.call('get', `/api/borrow-histories?bookInfoId=${bookInfoId}`, {
      token: admin.token,
    });
    const ids = (all.body.items as { borrowId: number }[]).map(({ borrowId }) => borrowId);
    expect([...ids].sort((a, b) => a - b)).toEqual(
      [first.borrowId, second.borrowId].sort((a, b) => a - b),
    );
    await expectApart('/api/borrow-histories?me=true', seenBy([]), order, 'borrowId');
    for (const reader of [one, two])
      expect(
        (await library.call('get', '/api/borrow-histories?me=false', { token: reader.token }))
          .status,
      ).toBe(403);
  });

  it('shows holds to the reader who waits', async () => {
    const [owner, one, two, stranger] = [
      library.newReader(),
      library.newReader(),
      library.newReader(),
      library.newReader(),
    ];
    const { bookInfoId } = await library.registered({ copies: 1 });
    await library.borrowed(owner, { bookInfoId });
    const holdOf = async (reader: Reader) =>
      (await library.placeHold(reader, bookInfoId)).body.holdId as number;
    const [first, second] = [await holdOf(one), await holdOf(two)];
    const askers: Asker[] = [
      { who: 'one', token: one.token, sees: [first] },
      { who: 'two', token: two.token, sees: [second] },
      { who: 'stranger', token: stranger.token, sees: [] },
      { who: 'nobody', sees: 401 },
    ];
    await expectApart('/api/holds?me=true', askers, order, 'holdId');
    for (const { status } of await library.readEverywhere(`/api/holds/${first}`, stranger.token))
      expect([403, 404]).toContain(status);
  });
});
