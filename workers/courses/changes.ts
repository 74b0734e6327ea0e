import type { Role } from '../../shared/command';
import type { CourseRow, SubscriptionRow, VideoRow, WaitRow } from '../../shared/courses/views';

/** Rows are never changed; a change is a new row in the state. */
export interface Course extends CourseRow {
  readonly deletedAt: Date | null;
}
export type Video = VideoRow;
export type Subscription = SubscriptionRow;

/** A user who waits for a seat. */
export interface Wait extends WaitRow {
  /** That of the subscription which they will have. */
  readonly id: number;
  /** The line goes by it. */
  readonly placeNo: number;
}

export interface Person {
  readonly id: number;
  readonly username: string;
  readonly role: Role;
  /** Nobody any more: the row stays for what refers to it. */
  readonly isErased?: boolean;
}

/** Whether a user has completed a video: when, or null for no more. */
export interface Completion {
  readonly userId: number;
  readonly courseId: number;
  readonly videoId: number;
  readonly completedAt: Date | null;
}

/** Rows that a decision makes or replaces. */
export interface CoursesChanges {
  readonly courses?: readonly Course[];
  /** New ones; each moves those up that stand at its position or behind it. */
  readonly videos?: readonly Video[];
  /** Those that are there already, perhaps at another position. */
  readonly changedVideos?: readonly Video[];
  readonly removedVideos?: readonly Video[];
  readonly subscriptions?: readonly Subscription[];
  readonly completions?: readonly Completion[];
  readonly waits?: readonly Wait[];
  /** They wait no more. */
  readonly left?: readonly Wait[];
}
