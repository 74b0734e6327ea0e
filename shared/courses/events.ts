import type { CourseView, SubscriptionView, VideoView, WaitView } from './views';

/**
 * The domain events of course subscriptions and their data. Clients name them, so never rename one.
 */
export interface CoursesEvents {
  'courses.course.created': CourseView;
  'courses.course.updated': CourseView;
  'courses.course.deleted': { readonly courseId: number };
  'courses.video.added': VideoView;
  'courses.video.updated': VideoView;
  'courses.video.deleted': { readonly videoId: number; readonly courseId: number };
  /** Also sent when a cancelled subscription is taken up again. */
  'courses.subscription.created': SubscriptionView;
  'courses.subscription.cancelled': SubscriptionView;
  'courses.subscription.completed': SubscriptionView;
  /** `completed`: whether the video is completed now. */
  'courses.progress.changed': SubscriptionView & {
    readonly videoId: number;
    readonly completed: boolean;
  };
  'courses.waitlist.joined': WaitView;
  'courses.waitlist.left': Pick<WaitView, 'courseId' | 'userId' | 'username'>;
  /** Sent in place of `courses.subscription.created`. */
  'courses.waitlist.promoted': SubscriptionView;
}

/** Their types, so that the list of them is complete. */
export const coursesEvents: Readonly<Record<keyof CoursesEvents, true>> = {
  'courses.course.created': true,
  'courses.course.updated': true,
  'courses.course.deleted': true,
  'courses.video.added': true,
  'courses.video.updated': true,
  'courses.video.deleted': true,
  'courses.subscription.created': true,
  'courses.subscription.cancelled': true,
  'courses.subscription.completed': true,
  'courses.progress.changed': true,
  'courses.waitlist.joined': true,
  'courses.waitlist.left': true,
  'courses.waitlist.promoted': true,
};
