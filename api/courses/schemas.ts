import type { Role } from '../../shared/command';
import { SUBSCRIPTION_STATUSES } from '../../shared/courses/commands';
import type {
  CourseView,
  SubscriptionView,
  TakenCourseView,
  VideoView,
} from '../../shared/courses/views';
import { count, id, instant, nullable, object, oneOf, text } from '../openapi/schema';

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
    ...times,
  },
);

export const video = object<VideoView>(
  'Video',
  {
    videoId: id,
    courseId: id,
    title: text,
    url: text,
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

const subscriptionMembers = {
  subscriptionId: id,
  userId: id,
  courseId: id,
  courseName: text,
  status: oneOf(SUBSCRIPTION_STATUSES),
  createdAt: instant,
  modifiedAt: instant,
  completedAt: nullable(instant),
};
const subscribed = {
  subscriptionId: 33,
  userId: 7,
  courseId: 6,
  courseName: 'Compilers',
  status: 'in_progress',
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
