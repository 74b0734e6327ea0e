import type { Role } from '../../shared/command';
import type { CourseRow, SubscriptionRow, VideoRow } from '../../shared/courses/views';
import { runsAfter, storedRuns, type Run } from './video-order';

/** Rows are never changed; a change is a new row in the state. */
export type Course = CourseRow;
export type Video = VideoRow;
export type Subscription = SubscriptionRow;

export interface Person {
  readonly id: number;
  readonly username: string;
  readonly role: Role;
  /** Nobody any more: the row stays for what refers to it. */
  readonly isErased?: boolean;
}

/** Rows that a decision makes or replaces. */
export interface CoursesChanges {
  readonly courses?: readonly Course[];
  /** New ones; each moves those up that stand at its position or behind it. */
  readonly videos?: readonly Video[];
  readonly subscriptions?: readonly Subscription[];
}

/** What a decision may look at. */
export interface CoursesView {
  course(id: number): Course | undefined;
  user(id: number): Person | undefined;
  /** The subscription of a user to a course, also a cancelled one. */
  subscription(userId: number, courseId: number): Subscription | undefined;
}

const pairOf = (userId: number, courseId: number): string => `${userId}:${courseId}`;

/**
 * The aggregates of one batch in memory: loaded rows, changed by one decision after the other. It
 * remembers which rows are new and which are changed, because each is written once, in its last
 * form, however many commands touched it.
 */
export class CoursesState implements CoursesView {
  private readonly courses = new Map<number, Course>();
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly users = new Map<number, Person>();
  private readonly videos: Video[] = [];
  /** Of the courses that got videos. */
  private readonly runs = new Map<number, Run[]>();
  private readonly stored = {
    courses: new Map<number, Course>(),
    subscriptions: new Set<string>(),
  };
  private readonly touched = { courses: new Set<number>(), subscriptions: new Set<string>() };

  load(rows: {
    readonly courses?: readonly Course[];
    readonly subscriptions?: readonly Subscription[];
    readonly users?: readonly Person[];
  }): void {
    for (const course of rows.courses ?? []) {
      this.stored.courses.set(course.id, course);
      this.courses.set(course.id, course);
    }
    for (const subscription of rows.subscriptions ?? []) {
      const pair = pairOf(subscription.userId, subscription.courseId);
      this.stored.subscriptions.add(pair);
      this.subscriptions.set(pair, subscription);
    }
    for (const user of rows.users ?? []) this.users.set(user.id, user);
  }

  evolve(changes: CoursesChanges): void {
    for (const course of changes.courses ?? []) {
      this.courses.set(course.id, course);
      this.touched.courses.add(course.id);
    }
    for (const video of changes.videos ?? []) this.insertVideo(video);
    for (const subscription of changes.subscriptions ?? []) {
      const pair = pairOf(subscription.userId, subscription.courseId);
      this.subscriptions.set(pair, subscription);
      this.touched.subscriptions.add(pair);
    }
  }

  /**
   * Rows to insert and rows to update, in their last form; `runs` say how the stored videos of a
   * course move.
   */
  pending() {
    const courses = [...this.touched.courses].flatMap((id) => this.courses.get(id) ?? []);
    const subscriptions = [...this.touched.subscriptions].flatMap(
      (pair) => this.subscriptions.get(pair) ?? [],
    );
    const known = ({ userId, courseId }: Subscription) =>
      this.stored.subscriptions.has(pairOf(userId, courseId));
    return {
      courses: {
        inserted: courses.filter(({ id }) => !this.stored.courses.has(id)),
        updated: courses.filter(({ id }) => this.stored.courses.has(id)),
      },
      subscriptions: {
        inserted: subscriptions.filter((one) => !known(one)),
        updated: subscriptions.filter(known),
      },
      videos: { inserted: this.videos, runs: this.runs },
    };
  }

  course(id: number): Course | undefined {
    return this.courses.get(id);
  }

  user(id: number): Person | undefined {
    return this.users.get(id);
  }

  subscription(userId: number, courseId: number): Subscription | undefined {
    return this.subscriptions.get(pairOf(userId, courseId));
  }

  private insertVideo(video: Video): void {
    const { courseId, position } = video;
    this.videos.forEach((other, index) => {
      if (other.courseId === courseId && other.position >= position)
        this.videos[index] = { ...other, position: other.position + 1 };
    });
    this.videos.push(video);
    const before =
      this.runs.get(courseId) ?? storedRuns(this.stored.courses.get(courseId)?.videoCount ?? 0);
    this.runs.set(courseId, runsAfter(before, position));
  }
}
