import type { CoursesEvents } from '../../shared/courses/events';
import { flag, id, object, text, type SchemasOf } from '../openapi/schema';
import { course, subscribed, subscription, subscriptionMembers, video, wait } from './schemas';

/** The data of the events of course subscriptions. */

export const coursesEventSchemas: SchemasOf<CoursesEvents> = {
  'courses.course.created': course,
  'courses.course.updated': course,
  'courses.course.deleted': object('CourseDeleted', { courseId: id }, { courseId: 6 }),
  'courses.video.added': video,
  'courses.video.updated': video,
  'courses.video.deleted': object(
    'VideoDeleted',
    { videoId: id, courseId: id },
    { videoId: 15, courseId: 6 },
  ),
  'courses.subscription.created': subscription,
  'courses.subscription.cancelled': subscription,
  'courses.subscription.completed': subscription,
  'courses.progress.changed': object(
    'ProgressChanged',
    { ...subscriptionMembers, videoId: id, completed: flag },
    { ...subscribed, videoId: 15, completed: true },
  ),
  'courses.waitlist.joined': wait,
  'courses.waitlist.left': object(
    'WaitlistLeft',
    { courseId: id, userId: id, username: text },
    { courseId: 6, userId: 7, username: 'ada' },
  ),
  'courses.waitlist.promoted': subscription,
};
