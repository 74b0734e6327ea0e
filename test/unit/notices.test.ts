import { borrowView } from '../../shared/lending/views';
import { NOTICE_TYPES } from '../../shared/notices/views';
import { mailText } from '../../workers/notices/texts';
import { noticesOf } from '../../workers/notices/notices';

const at = new Date('2026-03-02T10:00:00.000Z');
const loan = {
  ...{ id: 9, username: 'ada', bookInfoId: 42, bookId: 108, title: 'Dune', renewalCount: 0 },
  ...{ borrowedAt: at, dueAt: at, returnedAt: null, status: 'BORROWED' as const },
};
const told = (type: string, userId: number | null) =>
  noticesOf(
    { type, aggregateId: 'book-info:42', data: borrowView({ ...loan, userId }, at) },
    'event.1',
    at,
  );

it('an overdue borrow notifies its reader of the due date', () => {
  const [notice, ...more] = told('lending.borrow.overdue', 7);
  expect(more).toEqual([]);
  expect(notice).toMatchObject({ userId: 7, eventId: 'event.1', type: 'lending.borrow.overdue' });
  expect(JSON.parse(notice?.about ?? '')).toEqual({
    ...{ title: 'Dune', bookInfoId: 42, borrowId: 9, holdId: null, courseId: null },
    until: at.toISOString(),
  });
});

it('other events, and borrows without a person, make no notice', () => {
  expect(told('lending.borrow.created', 7)).toEqual([]);
  expect(told('lending.borrow.overdue', null)).toEqual([]);
});

it('every type has a text of its own in both languages', () => {
  const about = { title: 'Dune', bookInfoId: 42, borrowId: 9, holdId: null, courseId: null };
  const texts = (['en', 'ko'] as const).flatMap((locale) =>
    NOTICE_TYPES.map((type) => mailText(type, { ...about, until: at.toISOString() }, locale)),
  );
  expect(new Set(texts.map(({ text }) => text)).size).toBe(2 * NOTICE_TYPES.length);
  for (const { subject, text } of texts) expect([subject, text].join()).toContain('Dune');
});
