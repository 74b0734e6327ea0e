import { NOTICE_TYPES, type NoticeView } from '../../shared/notices/views';
import { id, instant, nullable, object, oneOf, text } from '../openapi/schema';

/** What clients see of notices, for the document. */

export const notice = object<NoticeView>(
  'Notice',
  {
    noticeId: id,
    type: oneOf(NOTICE_TYPES),
    title: text,
    bookInfoId: nullable(id),
    borrowId: nullable(id),
    holdId: nullable(id),
    courseId: nullable(id),
    until: nullable(instant),
    createdAt: instant,
    readAt: nullable(instant),
  },
  {
    noticeId: 31,
    type: 'lending.hold.ready',
    title: 'Dune',
    ...{ bookInfoId: 42, borrowId: null, holdId: 12, courseId: null },
    until: '2026-03-05T10:00:00.000Z',
    createdAt: '2026-03-02T10:00:00.000Z',
    readAt: null,
  },
);
