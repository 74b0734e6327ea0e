import type { CoursesEvents } from '../courses/events';
import type { LendingEvents } from '../lending/events';

/** What people are notified of, and the view that clients get. */

export type NotifyingEvents = LendingEvents & CoursesEvents;

/** The types of events that notify somebody. Notices have the same types. */
export const NOTICE_TYPES = [
  'lending.hold.ready',
  'lending.hold.expired',
  'lending.borrow.due-soon',
  'lending.borrow.overdue',
  'lending.borrow.lost',
  'courses.waitlist.promoted',
  'courses.subscription.completed',
] as const satisfies readonly (keyof NotifyingEvents)[];
export type NoticeType = (typeof NOTICE_TYPES)[number];

/** What a notice is about: a title with a borrow or a hold, or a course. */
export interface NoticeAbout {
  /** Title of the book, or name of the course. */
  readonly title: string;
  readonly bookInfoId: number | null;
  readonly borrowId: number | null;
  readonly holdId: number | null;
  readonly courseId: number | null;
  /** Until when the reader has to pick up or return the book. */
  readonly until: string | null;
}

export interface NoticeRow {
  readonly id: number;
  readonly type: NoticeType;
  readonly about: string;
  readonly createdAt: Date;
  readonly readAt: Date | null;
}

export function noticeView({ id, type, about, createdAt, readAt }: NoticeRow) {
  return {
    noticeId: id,
    type,
    ...(JSON.parse(about) as NoticeAbout),
    createdAt: createdAt.toISOString(),
    readAt: readAt?.toISOString() ?? null,
  };
}

export type NoticeView = ReturnType<typeof noticeView>;
