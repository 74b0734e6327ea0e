import { courseKey } from '../../shared/courses/commands';
import { attributesTag } from '../../shared/courses/views';
import { EventCounts } from '../batch/service/event-counts';
import { TrackedRows } from '../batch/service/tracked-rows';
import type {
  Completion,
  Course,
  CoursesChanges,
  Person,
  Subscription,
  Video,
  Wait,
} from './changes';
import { Completions } from './completions';
import { pairOf } from './pair';
import { Playlists } from './playlists';
import { Waitlists } from './waitlists';

/** What decisions can read. */
export interface CoursesView {
  /** Returns a course that is not deleted. */
  course(id: number): Course | undefined;
  user(id: number): Person | undefined;
  /** Returns the subscription of a user to a course, even a cancelled one. */
  subscription(userId: number, courseId: number): Subscription | undefined;
  /**
   * Returns how many subscriptions are in progress. Counted only when the batch may delete the
   * course.
   */
  inProgress(courseId: number): number;
  /** Returns a video of a course. */
  video(courseId: number, id: number): Video | undefined;
  /** Returns whether a user has completed a video. */
  hasCompleted(userId: number, videoId: number): boolean;
  wait(userId: number, courseId: number): Wait | undefined;
  /** Returns waiting users in order, as many as may get a seat in the batch. */
  line(courseId: number): readonly Wait[];
  /** Returns the place of the next user in line. Known only when the batch adds one. */
  nextPlaceNo(courseId: number): number;
}

const isInProgress = (subscription: Subscription | undefined): number =>
  Number(subscription?.status === 'in_progress');

/**
 * The aggregates of one batch in memory: loaded rows, changed by one decision after the other. It
 * remembers which rows are new and which are changed.
 */
export class CoursesState implements CoursesView {
  readonly events = new EventCounts();
  readonly waitlists = new Waitlists();
  readonly completions = new Completions();
  readonly playlists = new Playlists((courseId) => this.courses.stored(courseId)?.videoCount);
  private readonly courses = new TrackedRows<Course>();
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly users = new Map<number, Person>();
  private readonly counts = new Map<number, number>();
  private readonly storedPairs = new Set<string>();
  private readonly changedPairs = new Set<string>();

  load(rows: {
    readonly courses?: readonly Course[];
    readonly subscriptions?: readonly Subscription[];
    readonly users?: readonly Person[];
    readonly videos?: readonly Video[];
    readonly completions?: readonly Completion[];
    readonly waits?: readonly Wait[];
  }): void {
    for (const course of rows.courses ?? []) this.courses.load(course);
    for (const subscription of rows.subscriptions ?? []) {
      const pair = pairOf(subscription.userId, subscription.courseId);
      this.storedPairs.add(pair);
      this.subscriptions.set(pair, subscription);
    }
    for (const user of rows.users ?? []) this.users.set(user.id, user);
    this.playlists.load(rows.videos ?? []);
    this.completions.load(rows.completions ?? []);
    this.waitlists.load(rows.waits ?? []);
  }

  /** How many subscriptions to a course are in progress. */
  loadInProgress(courseId: number, count: number): void {
    this.counts.set(courseId, count);
  }

  evolve(changes: CoursesChanges): void {
    for (const course of changes.courses ?? []) this.courses.put(course);
    for (const subscription of changes.subscriptions ?? []) this.put(subscription);
    this.playlists.evolve(changes);
    this.completions.evolve(changes.completions ?? []);
    for (const video of changes.removedVideos ?? []) this.forget(video);
    this.waitlists.evolve(changes.waits ?? [], changes.left ?? []);
  }

  /** Returns rows to insert and rows to update, in their last form. */
  pending() {
    const { inserted, updated } = this.courses.pending();
    const subscriptions = [...this.changedPairs].flatMap(
      (pair) => this.subscriptions.get(pair) ?? [],
    );
    const known = ({ userId, courseId }: Subscription) =>
      this.storedPairs.has(pairOf(userId, courseId));
    return {
      courses: {
        inserted,
        /** Courses of which only numbers have changed, which is frequent. */
        counted: this.courses.storedIds().flatMap((id) => this.counted(id)),
        described: updated.filter((course) => this.isDescribed(course)),
      },
      subscriptions: {
        inserted: subscriptions.filter((one) => !known(one)),
        updated: subscriptions.filter(known),
      },
      videos: this.playlists.pending(),
      completions: this.completions.pending(),
      waits: this.waitlists.pending(),
    };
  }

  /** Ids of the courses that are new or changed. */
  changedCourses(): number[] {
    return this.courses.changedIds();
  }

  /**
   * Returns the ids of changed courses that lists of subscriptions and videos display differently
   * now.
   */
  outlined(): number[] {
    const courses = this.playlists.courses();
    return this.courses.changedIds().filter((id) => {
      const [before, after] = [this.courses.stored(id), this.courses.get(id)];
      const sameName = before?.courseName === after?.courseName && !after?.deletedAt;
      return before && (courses.has(id) || !sameName);
    });
  }

  course(id: number): Course | undefined {
    const course = this.courses.get(id);
    return course?.deletedAt ? undefined : course;
  }

  user(id: number): Person | undefined {
    return this.users.get(id);
  }

  subscription(userId: number, courseId: number): Subscription | undefined {
    return this.subscriptions.get(pairOf(userId, courseId));
  }

  inProgress(courseId: number): number {
    return this.counts.get(courseId) ?? 0;
  }

  video(courseId: number, id: number): Video | undefined {
    return this.playlists.video(courseId, id);
  }

  hasCompleted(userId: number, videoId: number): boolean {
    return this.completions.has(userId, videoId);
  }

  wait(userId: number, courseId: number): Wait | undefined {
    return this.waitlists.wait(userId, courseId);
  }

  line(courseId: number): readonly Wait[] {
    return this.waitlists.line(courseId);
  }

  nextPlaceNo(courseId: number): number {
    return this.waitlists.nextPlaceNo(courseId);
  }

  /** Returns whether more than the numbers of a stored course has changed. */
  private isDescribed(course: Course): boolean {
    const before = this.courses.stored(course.id);
    if (!before) return false;
    return before.deletedAt !== course.deletedAt || attributesTag(before) !== attributesTag(course);
  }

  /** Returns the course when only its numbers have changed, including its number of events. */
  private counted(id: number): Course[] {
    const course = this.courses.get(id);
    const isChanged = this.courses.isChanged(id) || this.events.hasChanged(courseKey(id));
    return course && isChanged && !this.isDescribed(course) ? [course] : [];
  }

  private put(subscription: Subscription): void {
    const { userId, courseId } = subscription;
    const pair = pairOf(userId, courseId);
    const change = isInProgress(subscription) - isInProgress(this.subscriptions.get(pair));
    this.counts.set(courseId, this.inProgress(courseId) + change);
    this.subscriptions.set(pair, subscription);
    this.changedPairs.add(pair);
  }

  /** Removes a video from the completions of users. */
  private forget({ id, courseId }: Video): void {
    for (const userId of this.completions.forget(id)) {
      const pair = pairOf(userId, courseId);
      const subscription = this.subscriptions.get(pair);
      if (!subscription) continue;
      const completedVideos = subscription.completedVideos - 1;
      this.subscriptions.set(pair, { ...subscription, completedVideos });
    }
  }
}
