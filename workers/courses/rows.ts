import { instant, optionalInstant } from '../batch/sql/statements';
import type { Row } from '../batch/sql/transaction';
import type { Completion, Course, Person, Subscription, Video, Wait } from './changes';

/** Converts rows of the database to those of the state. */

/** Of a subscription `s`. */
export const SUBSCRIPTION_COLUMNS = `s.id, s.user_id, s.course_id, s.status, s.created_at, s.modified_at, s.completed_at,
  (SELECT COUNT(*) FROM video_completion v WHERE v.course_id = s.course_id AND v.user_id = s.user_id) AS completed_videos`;
export const SUBSCRIPTIONS = `SELECT ${SUBSCRIPTION_COLUMNS} FROM user_courses s`;

export function courseOf(row: Row): Course {
  return {
    id: Number(row.id),
    courseName: row.course_name as string,
    userId: Number(row.user_id),
    lecturerName: row.username as string,
    videoCount: Number(row.video_count),
    capacity: row.capacity === null ? null : Number(row.capacity),
    subscriberCount: Number(row.subscriber_count),
    status: row.status as Course['status'],
    completesAutomatically: Number(row.completes_automatically) === 1,
    waitingCount: Number(row.waiting_count),
    createdAt: instant(row.created_at),
    modifiedAt: instant(row.modified_at),
    deletedAt: optionalInstant(row.deleted_at),
  };
}

export function subscriptionOf(row: Row): Subscription {
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    courseId: Number(row.course_id),
    status: row.status as Subscription['status'],
    createdAt: instant(row.created_at),
    modifiedAt: instant(row.modified_at),
    completedAt: optionalInstant(row.completed_at),
    completedVideos: Number(row.completed_videos),
  };
}

export const personOf = (row: Row): Person => ({
  id: Number(row.id),
  username: row.username as string,
  role: row.role as Person['role'],
  isErased: row.erased_at !== null,
});

export const videoOf = (row: Row): Video => ({
  id: Number(row.id),
  courseId: Number(row.course_id),
  title: row.title as string,
  url: row.url as string,
  position: Number(row.position),
  durationSeconds: row.duration_seconds === null ? null : Number(row.duration_seconds),
  createdAt: instant(row.created_at),
});

export const completionOf = (row: Row): Completion => ({
  userId: Number(row.user_id),
  courseId: Number(row.course_id),
  videoId: Number(row.video_id),
  completedAt: instant(row.completed_at),
});

export const waitOf = (row: Row): Wait => ({
  id: Number(row.wait_id),
  userId: Number(row.wait_user_id),
  username: row.username as string,
  courseId: Number(row.wait_course_id),
  placeNo: Number(row.place_no),
  createdAt: instant(row.waits_since),
});
