import type { Role } from '../../shared/command';
import { COURSE_STATUSES, SUBSCRIPTION_STATUSES } from '../../shared/courses/commands';
import type {
  BulkView,
  CourseView,
  RosterView,
  SubscriptionView,
  TakenCourseView,
  VideoView,
  WaitView,
} from '../../shared/courses/views';
import {
  arrayOf,
  count,
  flag,
  id,
  instant,
  nullable,
  object,
  oneOf,
  text,
} from '../openapi/schema';

/** What clients see of courses, for the document. */

const times = { createdAt: '2026-03-01T09:30:00.000Z', modifiedAt: '2026-03-02T10:00:00.000Z' };
const grace = { userId: 21, username: 'grace' };

const lecturer = object<CourseView['lecturer']>('Lecturer', { userId: id, username: text }, grace);

export const course = object<CourseView>(
  'Course',
  {
    courseId: id,
    courseName: text,
    userId: id,
    lecturer,
    videoCount: count,
    capacity: nullable(id),
    subscriberCount: count,
    status: oneOf(COURSE_STATUSES),
    completesAutomatically: flag,
    waitingCount: count,
    createdAt: instant,
    modifiedAt: instant,
  },
  {
    courseId: 6,
    courseName: 'Compilers',
    userId: 21,
    lecturer: grace,
    videoCount: 2,
    capacity: 100,
    subscriberCount: 57,
    status: 'open',
    completesAutomatically: false,
    waitingCount: 0,
    ...times,
  },
);

export const video = object<VideoView>(
  'Video',
  {
    videoId: id,
    courseId: id,
    title: text,
    url: nullable(text),
    position: id,
    durationSeconds: nullable(count),
    createdAt: instant,
  },
  {
    videoId: 15,
    courseId: 6,
    title: 'Parsing',
    url: 'https://videos.example/parsing',
    position: 1,
    durationSeconds: 1800,
    createdAt: times.createdAt,
  },
);

const progress = object<SubscriptionView['progress']>(
  'Progress',
  { completedVideos: count, totalVideos: count, percent: count },
  { completedVideos: 1, totalVideos: 3, percent: 33 },
);

export const subscriptionMembers = {
  subscriptionId: id,
  userId: id,
  courseId: id,
  courseName: text,
  status: oneOf(SUBSCRIPTION_STATUSES),
  progress,
  createdAt: instant,
  modifiedAt: instant,
  completedAt: nullable(instant),
};
export const subscribed = {
  subscriptionId: 33,
  userId: 7,
  courseId: 6,
  courseName: 'Compilers',
  status: 'in_progress',
  progress: { completedVideos: 1, totalVideos: 3, percent: 33 },
  ...times,
  completedAt: null,
} as const;

export const subscription = object<SubscriptionView>(
  'Subscription',
  subscriptionMembers,
  subscribed,
);
export const takenCourse = object<TakenCourseView>(
  'TakenCourse',
  { ...subscriptionMembers, lecturer },
  { ...subscribed, lecturer: grace },
);
export const rosterEntry = object<RosterView>(
  'RosterEntry',
  { ...subscriptionMembers, username: text },
  { ...subscribed, username: 'ada' },
);

export const wait = object<WaitView>(
  'Wait',
  { courseId: id, userId: id, username: text, position: id, createdAt: instant },
  { courseId: 6, userId: 7, username: 'ada', position: 1, createdAt: times.createdAt },
);

interface OwnWait {
  readonly courseId: number;
  readonly createdAt: string;
}
export const ownWait = object<OwnWait>(
  'OwnWait',
  { courseId: id, createdAt: instant },
  { courseId: 6, createdAt: times.createdAt },
);

interface OwnCompletion {
  readonly courseId: number;
  readonly videoId: number;
  readonly completedAt: string;
}
export const ownCompletion = object<OwnCompletion>(
  'OwnCompletion',
  { courseId: id, videoId: id, completedAt: instant },
  { courseId: 6, videoId: 15, completedAt: times.modifiedAt },
);

const refusedUser = object<BulkView['refused'][number]>(
  'RefusedUser',
  { userId: id, code: text },
  { userId: 8, code: 'COURSE_FULL' },
);
export const bulk = object<BulkView>(
  'BulkSubscription',
  { subscribed: arrayOf(subscription), refused: arrayOf(refusedUser) },
  { subscribed: [subscribed], refused: [{ userId: 8, code: 'COURSE_FULL' }] },
);

interface User {
  readonly userId: number;
  readonly username: string;
  readonly role: Role;
}

export const user = object<User>(
  'User',
  { userId: id, username: text, role: oneOf(['user', 'lecturer']) },
  { ...grace, role: 'lecturer' },
);
