import type { CourseView, SubscriptionView, VideoView } from './views';

/**
 * The domain events of course subscriptions: what each carries. Clients name them: never rename
 * one.
 */
export interface CoursesEvents {
  'courses.course.created': CourseView;
  'courses.video.added': VideoView;
  /** Also of a cancelled one that is taken up again. */
  'courses.subscription.created': SubscriptionView;
  'courses.subscription.cancelled': SubscriptionView;
  'courses.subscription.completed': SubscriptionView;
}

/** Their types, so that the list of them is complete. */
export const coursesEvents: Readonly<Record<keyof CoursesEvents, true>> = {
  'courses.course.created': true,
  'courses.video.added': true,
  'courses.subscription.created': true,
  'courses.subscription.cancelled': true,
  'courses.subscription.completed': true,
};
