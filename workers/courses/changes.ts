import type { Role } from '../../shared/command';
import type { CourseRow, SubscriptionRow, VideoRow, WaitRow } from '../../shared/courses/views';

/** A course. Rows are never changed: a change is a new row in the state. */
export interface Course extends CourseRow {
  readonly deletedAt: Date | null;
}
export type Video = VideoRow;
export type Subscription = SubscriptionRow;

/** A user who waits for a seat. */
export interface Wait extends WaitRow {
  /** The id that the subscription will have. */
  readonly id: number;
  /** The order of the line. */
  readonly placeNo: number;
}

export interface Person {
  readonly id: number;
  readonly username: string;
  readonly role: Role;
  /** Whether the user was erased. The row stays for rows that refer to it. */
  readonly isErased?: boolean;
}

/** Whether a user has completed a video: the instant, or null when they took it back. */
export interface Completion {
  readonly userId: number;
  readonly courseId: number;
  readonly videoId: number;
  readonly completedAt: Date | null;
}

/** Rows that a decision makes or replaces. */
export interface CoursesChanges {
  readonly courses?: readonly Course[];
  /** New videos. Each moves the videos at its position and behind it down by one. */
  readonly videos?: readonly Video[];
  /** Existing videos, perhaps at another position. */
  readonly changedVideos?: readonly Video[];
  readonly removedVideos?: readonly Video[];
  readonly subscriptions?: readonly Subscription[];
  readonly completions?: readonly Completion[];
  readonly waits?: readonly Wait[];
  /** Users who leave the waitlist. */
  readonly left?: readonly Wait[];
}
