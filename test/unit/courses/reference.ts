import type { CoursesCommand, SubscriptionStatus } from '../../../shared/courses/commands';
import type { Person } from '../../../workers/courses/state';
import { doneBy, refused, type Verdict } from '../verdict';

/**
 * The rules of courses a second time, as naively as they can be written: plain arrays, everything
 * counted anew for every question.
 */

export interface ReferenceSubscription {
  readonly id: number;
  readonly userId: number;
  readonly courseId: number;
  status: SubscriptionStatus;
  readonly createdAt: Date;
  modifiedAt: Date;
  completedAt: Date | null;
}

export interface ReferenceCourse {
  readonly id: number;
  readonly courseName: string;
  readonly userId: number;
  readonly capacity: number | null;
  /** Ids in their order. */
  readonly videos: number[];
  readonly createdAt: Date;
  modifiedAt: Date;
}

type CommandOfType<Type extends CoursesCommand['type']> = Extract<CoursesCommand, { type: Type }>;
type AboutSubscription = Pick<CommandOfType<'courses.subscribe'>, 'actor' | 'payload'>;

const done = doneBy('courses');

/** The first id of each kind. */
export interface NextIds {
  course: number;
  video: number;
  subscription: number;
}

export class Reference {
  readonly courses: ReferenceCourse[] = [];
  readonly subscriptions: ReferenceSubscription[] = [];

  /** `people`: everybody whom the table `user` has. */
  constructor(
    private readonly people: readonly Person[],
    private readonly next: NextIds = { course: 1, video: 1, subscription: 1 },
  ) {}

  decide(command: CoursesCommand, now: Date): Verdict {
    switch (command.type) {
      case 'courses.register-course':
        return this.register(command, now);
      case 'courses.add-video':
        return this.addVideo(command, now);
      case 'courses.subscribe':
        return this.subscribe(command, now);
      case 'courses.cancel-subscription':
        return this.cancel(command, now);
      case 'courses.complete-subscription':
        return this.complete(command, now);
    }
  }

  placesTaken(courseId: number): number {
    return this.subscriptions.filter(
      (one) => one.courseId === courseId && one.status !== 'cancelled',
    ).length;
  }

  private register(
    { actor, payload: { courseName, userId, capacity } }: CommandOfType<'courses.register-course'>,
    now: Date,
  ): Verdict {
    const own = actor.role === 'lecturer' && actor.userId === userId;
    if (!own && !actor.isAdmin) return refused('FORBIDDEN');
    const person = this.people.find(({ id }) => id === userId);
    if (!person || (!own && person.role !== 'lecturer')) return refused('LECTURER_REQUIRED');
    const id = this.next.course++;
    this.courses.push({
      id,
      courseName,
      userId,
      capacity,
      videos: [],
      createdAt: now,
      modifiedAt: now,
    });
    const lecturer = { userId, username: person.username };
    const times = { createdAt: now.toISOString(), modifiedAt: now.toISOString() };
    return done(
      {
        courseId: id,
        courseName,
        userId,
        lecturer,
        videoCount: 0,
        capacity,
        subscriberCount: 0,
        ...times,
      },
      ['course.created'],
      true,
    );
  }

  private addVideo({ actor, payload }: CommandOfType<'courses.add-video'>, now: Date): Verdict {
    const { courseId, title, url, position, durationSeconds } = payload;
    const course = this.courses.find(({ id }) => id === courseId);
    if (!course) return refused('COURSE_NOT_FOUND');
    if (!actor.isAdmin && actor.userId !== course.userId) return refused('FORBIDDEN');
    if (position !== null && position > course.videos.length + 1)
      return refused('VALIDATION_FAILED');
    const place = position ?? course.videos.length + 1;
    const videoId = this.next.video++;
    course.videos.splice(place - 1, 0, videoId);
    course.modifiedAt = now;
    return done(
      {
        videoId,
        courseId,
        title,
        url,
        position: place,
        durationSeconds,
        createdAt: now.toISOString(),
      },
      ['video.added'],
      true,
    );
  }

  /** What stands in the way of any command about a subscription. */
  private missing({
    actor,
    payload: { userId, courseId },
  }: AboutSubscription): Verdict | undefined {
    if (!actor.isAdmin && actor.userId !== userId) return refused('FORBIDDEN');
    if (!this.people.some(({ id }) => id === userId)) return refused('USER_NOT_FOUND');
    return this.courses.some(({ id }) => id === courseId) ? undefined : refused('COURSE_NOT_FOUND');
  }

  private of({
    payload: { userId, courseId },
  }: AboutSubscription): ReferenceSubscription | undefined {
    return this.subscriptions.find((one) => one.userId === userId && one.courseId === courseId);
  }

  private shown({
    id,
    userId,
    courseId,
    status,
    createdAt,
    modifiedAt,
    completedAt,
  }: ReferenceSubscription) {
    const courseName = this.courses.find((course) => course.id === courseId)?.courseName;
    const times = {
      createdAt: createdAt.toISOString(),
      modifiedAt: modifiedAt.toISOString(),
      completedAt: completedAt?.toISOString() ?? null,
    };
    return { subscriptionId: id, userId, courseId, courseName, status, ...times };
  }

  private subscribe(command: AboutSubscription, now: Date): Verdict {
    const missing = this.missing(command);
    if (missing) return missing;
    const { userId, courseId } = command.payload;
    const known = this.of(command);
    if (known && known.status !== 'cancelled')
      return refused('ALREADY_SUBSCRIBED', { subscriptionId: known.id });
    const capacity = this.courses.find(({ id }) => id === courseId)?.capacity ?? Infinity;
    if (this.placesTaken(courseId) >= capacity) return refused('COURSE_FULL', { courseId });
    const subscription = known ?? {
      id: this.next.subscription++,
      userId,
      courseId,
      status: 'in_progress',
      createdAt: now,
      modifiedAt: now,
      completedAt: null,
    };
    if (!known) this.subscriptions.push(subscription);
    Object.assign(subscription, { status: 'in_progress', modifiedAt: now });
    return done(this.shown(subscription), ['subscription.created'], true);
  }

  private cancel(command: AboutSubscription, now: Date): Verdict {
    const missing = this.missing(command);
    if (missing) return missing;
    const known = this.of(command);
    if (!known || known.status === 'cancelled') return refused('SUBSCRIPTION_NOT_FOUND');
    if (known.status === 'completed')
      return refused('SUBSCRIPTION_COMPLETED', { subscriptionId: known.id });
    Object.assign(known, { status: 'cancelled', modifiedAt: now });
    return done(null, ['subscription.cancelled']);
  }

  private complete(command: AboutSubscription, now: Date): Verdict {
    const missing = this.missing(command);
    if (missing) return missing;
    const known = this.of(command);
    if (!known || known.status === 'cancelled') return refused('SUBSCRIPTION_NOT_FOUND');
    if (known.status === 'completed') return done(this.shown(known), []);
    Object.assign(known, { status: 'completed', modifiedAt: now, completedAt: now });
    return done(this.shown(known), ['subscription.completed']);
  }
}
