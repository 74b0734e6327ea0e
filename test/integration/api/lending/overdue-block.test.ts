import { Library, succeeded, type Borrow } from '../../../support/clients/books';
import {
  INSTALLATIONS,
  startService,
  type Installation,
} from '../../../support/service/start-service';
import { sampleOf } from '../../../support/run/amount';
import { openStream } from '../../../support/clients/event-stream';
import { expectProblem } from '../../../support/clients/problems';
import { onDatabase } from '../../../support/servers/rows';
import { waitUntil } from '../../../support/wait';

/** What becomes of loans that are overdue, which are put back in time. */

describe.each(sampleOf(INSTALLATIONS, 'embedded'))('a loan that is overdue, %s', (name) => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startService({ on: name });
  });

  it('is told once for its due date, by an event and a notice, and before its return alone', async () => {
    const { target, env } = installation;
    const library = new Library(target);
    const stream = await openStream(`${target.url}/api/events`, target.admin);
    const reader = library.newReader();
    const loans = [await library.single(), await library.single(), await library.single()].map(
      async ({ bookInfoId }) => library.borrowed(reader, { bookInfoId }),
    );
    const [kept, returned, last] = (await Promise.all(loans)) as [Borrow, Borrow, Borrow];
    const overdueOf = async ({ bookInfoId }: Borrow) => {
      const path = `/api/events?after=&size=1000&aggregateId=book-info:${bookInfoId}`;
      const { items } = succeeded(await library.manage('get', path), 200) as {
        items: { type: string; data: object }[];
      };
      return items.filter(({ type }) => type === 'lending.borrow.overdue');
    };
    const toldOf = ({ borrowId }: Borrow) =>
      waitUntil(`loan ${borrowId} is told`, 120_000, () =>
        stream
          .events()
          .some(
            ({ event, data }) =>
              event === 'lending.borrow.overdue' && data.includes(`"borrowId":${borrowId},`),
          ),
      );
    const putBack = ({ borrowId }: Borrow) =>
      onDatabase(env, (select) =>
        select(`UPDATE book_user SET due_at = borrowed_at WHERE id = ${borrowId}`),
      );
    await library.returned(reader, { borrowId: returned.borrowId });
    for (const borrow of [returned, kept]) await putBack(borrow);
    await toldOf(kept);
    await library.returned(reader, { borrowId: kept.borrowId });
    // By the time that this one is told, the others would have been told again.
    await putBack(last);
    await toldOf(last);
    expect(await overdueOf(kept)).toMatchObject([
      { data: { borrowId: kept.borrowId, userId: reader.userId, overdue: true } },
    ]);
    expect(await overdueOf(returned)).toEqual([]);
    const { token } = reader;
    const { items } = succeeded(await library.call('get', '/api/notices', { token }), 200) as {
      items: { type: string; borrowId: number }[];
    };
    expect(
      items.filter(({ type }) => type === 'lending.borrow.overdue').map(({ borrowId }) => borrowId),
    ).toEqual([last.borrowId, kept.borrowId]);
  }, 360_000);

  it('keeps its reader from borrows and holds until it is returned', async () => {
    const { target, env } = installation;
    const library = new Library(target);
    const rules = [{ category: '*', kind: '*', blockOverdueDays: 2 }];
    succeeded(await library.manage('put', '/api/loan-rules', { rules }), 200);
    const [reader, lent, other] = [
      library.newReader(),
      await library.single(),
      await library.single(),
    ];
    const { borrowId } = await library.borrowed(reader, { bookInfoId: lent.bookInfoId });
    const dueAt = (days: number) => new Date(Date.now() - days * 24 * 3600 * 1000);
    const putBack = (days: number) =>
      onDatabase(env, (select) =>
        select(
          `UPDATE book_user SET due_at = '${dueAt(days).toISOString().replace('T', ' ').replace('Z', '')}' WHERE id = ${borrowId}`,
        ),
      );
    await putBack(1.9);
    const second = await library.borrowed(reader, { bookInfoId: other.bookInfoId });
    await library.returned(reader, { borrowId: second.borrowId });
    await putBack(2.1);
    const out = (await library.registered()).bookInfoId;
    const refused = await library.borrow(reader, { bookInfoId: other.bookInfoId });
    expectProblem(refused, 409, 'OVERDUE_BLOCKED', { borrowId });
    expectProblem(await library.placeHold(reader, out), 409, 'OVERDUE_BLOCKED', { borrowId });
    expect(
      succeeded(
        await library.call('post', '/api/borrows?dryRun=true', {
          token: reader.token,
          body: { bookInfoId: other.bookInfoId },
        }),
        200,
      ),
    ).toMatchObject({ allowed: false, blockers: [{ code: 'OVERDUE_BLOCKED', borrowId }] });
    await library.returned(reader, { borrowId });
    await library.borrowed(reader, { bookInfoId: other.bookInfoId });
    succeeded(await library.placeHold(reader, out), 201);
  }, 120_000);
});
