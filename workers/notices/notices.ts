import type { BorrowView } from '../../shared/lending/views';
import type { NoticeAbout, NoticeType, NotifyingEvents } from '../../shared/notices/views';
import type { DomainEvent } from '../batch/service/decision';

/** Makes notices from events. Pure, like the decisions that the events come from. */

/** A row of the table. */
export interface NewNotice {
  readonly userId: number;
  readonly eventId: string;
  readonly type: NoticeType;
  readonly about: string;
  readonly createdAt: Date;
  readonly mailAt: Date;
}

interface Told extends Partial<NoticeAbout> {
  /** Null when nobody is notified. */
  readonly userId: number | null;
  readonly title: string;
}

const NOTHING: Omit<NoticeAbout, 'title'> = {
  bookInfoId: null,
  borrowId: null,
  holdId: null,
  courseId: null,
  until: null,
};

interface OfCourse {
  readonly userId: number;
  readonly courseId: number;
  readonly courseName: string;
}

const ofCourse = ({ userId, courseId, courseName }: OfCourse): Told => ({
  userId,
  title: courseName,
  courseId,
});

const dueBorrow = ({ userId, title, bookInfoId, borrowId, dueAt }: BorrowView): Told => ({
  ...{ userId, title, bookInfoId, borrowId, until: dueAt },
});

/** Clients name the members of these results. Each notifying event needs a line here. */
const NOTICES: { readonly [Type in NoticeType]: (data: NotifyingEvents[Type]) => Told } = {
  'lending.hold.ready': ({ userId, title, bookInfoId, holdId, expiresAt }) => ({
    ...{ userId, title, bookInfoId, holdId, until: expiresAt },
  }),
  'lending.hold.expired': ({ userId, title, bookInfoId, holdId }) => ({
    ...{ userId, title, bookInfoId, holdId },
  }),
  'lending.borrow.due-soon': dueBorrow,
  'lending.borrow.overdue': dueBorrow,
  'lending.borrow.lost': ({ userId, title, bookInfoId, borrowId }) => ({
    ...{ userId, title, bookInfoId, borrowId },
  }),
  'courses.waitlist.promoted': ofCourse,
  'courses.subscription.completed': ofCourse,
};

const notifies = (type: string): type is NoticeType => Object.hasOwn(NOTICES, type);

/** Returns the notice that an event makes, if any. */
export function noticesOf({ type, data }: DomainEvent, eventId: string, at: Date): NewNotice[] {
  if (!notifies(type)) return [];
  const { userId, ...about } = (NOTICES[type] as (data: object) => Told)(data);
  if (userId === null) return [];
  const text = JSON.stringify({ ...NOTHING, ...about });
  return [{ userId, eventId, type, about: text, createdAt: at, mailAt: at }];
}
