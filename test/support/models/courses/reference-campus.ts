import type {
  CourseAttributes,
  CoursesCommand,
  SubscriptionStatus,
} from '../../../../shared/courses/commands';
import type { Person } from '../../../../workers/courses/changes';
import { doneBy, refused, type Verdict } from '../verdict';

/** What the second rules of courses know, and what they ask about it. */

export interface ReferenceSubscription {
  readonly id: number;
  readonly userId: number;
  readonly courseId: number;
  status: SubscriptionStatus;
  readonly createdAt: Date;
  modifiedAt: Date;
  completedAt: Date | null;
}

export interface ReferenceVideo {
  readonly id: number;
  title: string;
  url: string;
  durationSeconds: number | null;
  readonly createdAt: Date;
  /** Ids of users. */
  readonly completedBy: Set<number>;
}

export interface ReferenceWait {
  /** That of the subscription which they will have. */
  readonly id: number;
  readonly userId: number;
  readonly createdAt: Date;
}

export interface ReferenceCourse extends CourseAttributes {
  readonly id: number;
  readonly userId: number;
  /** In their order. */
  readonly videos: ReferenceVideo[];
  /** In their order. */
  readonly line: ReferenceWait[];
  readonly createdAt: Date;
  modifiedAt: Date;
  isDeleted: boolean;
}

export type CommandOfType<Type extends CoursesCommand['type']> = Extract<
  CoursesCommand,
  { type: Type }
>;
export type AboutSubscription = Pick<CommandOfType<'courses.subscribe'>, 'actor' | 'payload'>;

export const done = doneBy('courses');

/** The first id of each kind. */
export interface NextIds {
  course: number;
  video: number;
  subscription: number;
}

export class ReferenceCampus {
  readonly courses: ReferenceCourse[] = [];
  readonly subscriptions: ReferenceSubscription[] = [];

  /** `people`: everybody whom the table `user` has. */
  constructor(
    readonly people: readonly Person[],
    readonly next: NextIds = { course: 1, video: 1, subscription: 1 },
  ) {}

  placesTaken(courseId: number): number {
    return this.subscriptions.filter(
      (one) => one.courseId === courseId && one.status !== 'cancelled',
    ).length;
  }

  course(courseId: number): ReferenceCourse | undefined {
    return this.courses.find(({ id, isDeleted }) => id === courseId && !isDeleted);
  }

  /** Returns the course of a command that changes it, or why it is not changed. */
  managed({
    actor,
    payload: { courseId },
  }: {
    actor: CoursesCommand['actor'];
    payload: { courseId: number };
  }): ReferenceCourse | Verdict {
    const course = this.course(courseId);
    if (!course) return refused('COURSE_NOT_FOUND');
    return actor.isAdmin || actor.userId === course.userId ? course : refused('FORBIDDEN');
  }

  shownCourse(course: ReferenceCourse) {
    const { id, courseName, userId, capacity, status, completesAutomatically } = course;
    const username = this.people.find((person) => person.id === userId)?.username;
    return {
      ...{ courseId: id, courseName, userId, lecturer: { userId, username } },
      ...{ videoCount: course.videos.length, capacity, subscriberCount: this.placesTaken(id) },
      ...{ status, completesAutomatically, waitingCount: course.line.length },
      createdAt: course.createdAt.toISOString(),
      modifiedAt: course.modifiedAt.toISOString(),
    };
  }

  /** Free seats of an open course. */
  freeSeats({ id, status, capacity }: ReferenceCourse): number {
    return status === 'open' ? (capacity ?? Infinity) - this.placesTaken(id) : 0;
  }

  /** Lets in who waits, one after the other, as long as there is a seat. */
  letIn(course: ReferenceCourse, now: Date): string[] {
    const events: string[] = [];
    while (course.line.length > 0 && this.freeSeats(course) > 0) {
      const { id, userId } = course.line.shift()!;
      this.takeUp(course, userId, now, () => id);
      events.push('waitlist.promoted');
    }
    return events;
  }

  takeUp(
    { id: courseId }: ReferenceCourse,
    userId: number,
    now: Date,
    idOf = () => this.next.subscription++,
  ): ReferenceSubscription {
    const known = this.of({ userId, courseId });
    const subscription: ReferenceSubscription = known ?? {
      ...{ id: idOf(), userId, courseId, status: 'in_progress' },
      ...{ createdAt: now, modifiedAt: now, completedAt: null },
    };
    if (!known) this.subscriptions.push(subscription);
    return Object.assign(subscription, { status: 'in_progress', modifiedAt: now } as const);
  }

  /** Returns what stands in the way of any command about a subscription. */
  missing({ actor, payload: { userId, courseId } }: AboutSubscription): Verdict | undefined {
    if (!actor.isAdmin && actor.userId !== userId) return refused('FORBIDDEN');
    if (!this.people.some(({ id }) => id === userId)) return refused('USER_NOT_FOUND');
    return this.course(courseId) ? undefined : refused('COURSE_NOT_FOUND');
  }

  of({ userId, courseId }: AboutSubscription['payload']): ReferenceSubscription | undefined {
    return this.subscriptions.find((one) => one.userId === userId && one.courseId === courseId);
  }

  shown({
    id,
    userId,
    courseId,
    status,
    createdAt,
    modifiedAt,
    completedAt,
  }: ReferenceSubscription) {
    const { courseName, videos } = this.courses.find((course) => course.id === courseId)!;
    const completedVideos = videos.filter(({ completedBy }) => completedBy.has(userId)).length;
    const totalVideos = videos.length;
    const percent = totalVideos && Math.floor((completedVideos / totalVideos) * 100);
    return {
      ...{ subscriptionId: id, userId, courseId, courseName, status },
      progress: { completedVideos, totalVideos, percent },
      createdAt: createdAt.toISOString(),
      modifiedAt: modifiedAt.toISOString(),
      completedAt: completedAt?.toISOString() ?? null,
    };
  }
}
