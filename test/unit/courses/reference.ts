import type {
  CourseAttributes,
  CoursesCommand,
  SubscriptionStatus,
} from '../../../shared/courses/commands';
import { attributesTag } from '../../../shared/courses/views';
import type { Person } from '../../../workers/courses/changes';
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
      case 'courses.update-course':
        return this.updateCourse(command, now);
      case 'courses.delete-course':
        return this.deleteCourse(command, now);
      case 'courses.add-video':
        return this.addVideo(command, now);
      case 'courses.update-video':
        return this.updateVideo(command, now);
      case 'courses.delete-video':
        return this.deleteVideo(command, now);
      case 'courses.subscribe':
        return this.subscribe(command, now);
      case 'courses.cancel-subscription':
        return this.cancel(command, now);
      case 'courses.complete-subscription':
        return this.complete(command, now);
      case 'courses.subscribe-many':
        return this.subscribeMany(command, now);
      case 'courses.complete-video':
        return this.completeVideo(command, now, true);
      case 'courses.uncomplete-video':
        return this.completeVideo(command, now, false);
      case 'courses.join-waitlist':
        return this.join(command, now);
      case 'courses.leave-waitlist':
        return this.leave(command, now);
    }
  }

  placesTaken(courseId: number): number {
    return this.subscriptions.filter(
      (one) => one.courseId === courseId && one.status !== 'cancelled',
    ).length;
  }

  private course(courseId: number): ReferenceCourse | undefined {
    return this.courses.find(({ id, isDeleted }) => id === courseId && !isDeleted);
  }

  /** The course of a command that changes it, or why it is not changed. */
  private managed({
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

  private register(
    { actor, payload }: CommandOfType<'courses.register-course'>,
    now: Date,
  ): Verdict {
    const { courseName, userId, capacity, completesAutomatically = false } = payload;
    const own = actor.role === 'lecturer' && actor.userId === userId;
    if (!own && !actor.isAdmin) return refused('FORBIDDEN');
    const person = this.people.find(({ id }) => id === userId);
    if (!person || (!own && person.role !== 'lecturer')) return refused('LECTURER_REQUIRED');
    const course: ReferenceCourse = {
      ...{ id: this.next.course++, courseName, userId, capacity, completesAutomatically },
      ...{ status: 'open', videos: [], line: [], createdAt: now, modifiedAt: now },
      isDeleted: false,
    };
    this.courses.push(course);
    return done(this.shownCourse(course), ['course.created'], true);
  }

  private shownCourse(course: ReferenceCourse) {
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

  private updateCourse(command: CommandOfType<'courses.update-course'>, now: Date): Verdict {
    const course = this.managed(command);
    if ('kind' in course) return course;
    const { changes, ifMatch } = command.payload;
    if (ifMatch && !ifMatch.includes(attributesTag(course))) return refused('VERSION_MISMATCH');
    const changed = { ...course, ...changes };
    if (attributesTag(changed) === attributesTag(course)) return done(this.shownCourse(course), []);
    if (changed.capacity !== null && changed.capacity < this.placesTaken(course.id))
      return refused('CAPACITY_BELOW_SUBSCRIBERS', { courseId: course.id });
    Object.assign(course, changes, { modifiedAt: now });
    const promoted = this.letIn(course, now);
    return done(this.shownCourse(course), ['course.updated', ...promoted]);
  }

  private deleteCourse(command: CommandOfType<'courses.delete-course'>, now: Date): Verdict {
    const course = this.managed(command);
    if ('kind' in course) return course;
    const { ifMatch } = command.payload;
    if (ifMatch && !ifMatch.includes(attributesTag(course))) return refused('VERSION_MISMATCH');
    const taken = this.subscriptions.some(
      ({ courseId, status }) => courseId === course.id && status === 'in_progress',
    );
    if (taken) return refused('COURSE_HAS_SUBSCRIBERS', { courseId: course.id });
    Object.assign(course, { isDeleted: true, modifiedAt: now });
    const left = course.line.splice(0).map(() => 'waitlist.left');
    return done(null, ['course.deleted', ...left]);
  }

  /** Seats of an open course that nobody has. */
  private freeSeats({ id, status, capacity }: ReferenceCourse): number {
    return status === 'open' ? (capacity ?? Infinity) - this.placesTaken(id) : 0;
  }

  /** Lets in who waits, one after the other, as long as there is a seat. */
  private letIn(course: ReferenceCourse, now: Date): string[] {
    const events: string[] = [];
    while (course.line.length > 0 && this.freeSeats(course) > 0) {
      const { id, userId } = course.line.shift()!;
      this.takeUp(course, userId, now, () => id);
      events.push('waitlist.promoted');
    }
    return events;
  }

  private takeUp(
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

  private shownVideo({ videos, id: courseId }: ReferenceCourse, video: ReferenceVideo) {
    const { id, title, url, durationSeconds, createdAt } = video;
    return {
      ...{ videoId: id, courseId, title, url, position: videos.indexOf(video) + 1 },
      ...{ durationSeconds, createdAt: createdAt.toISOString() },
    };
  }

  private addVideo(command: CommandOfType<'courses.add-video'>, now: Date): Verdict {
    const course = this.managed(command);
    if ('kind' in course) return course;
    const { title, url, position, durationSeconds } = command.payload;
    if (position !== null && position > course.videos.length + 1)
      return refused('VALIDATION_FAILED');
    const place = position ?? course.videos.length + 1;
    const video: ReferenceVideo = {
      ...{ id: this.next.video++, title, url, durationSeconds },
      ...{ createdAt: now, completedBy: new Set() },
    };
    course.videos.splice(place - 1, 0, video);
    course.modifiedAt = now;
    return done(this.shownVideo(course, video), ['video.added'], true);
  }

  private updateVideo(command: CommandOfType<'courses.update-video'>, now: Date): Verdict {
    const course = this.managed(command);
    if ('kind' in course) return course;
    const { videoId, changes } = command.payload;
    const video = course.videos.find(({ id }) => id === videoId);
    if (!video) return refused('VIDEO_NOT_FOUND');
    const { position, ...others } = changes;
    if (position !== undefined && position > course.videos.length)
      return refused('VALIDATION_FAILED');
    const before = JSON.stringify(this.shownVideo(course, video));
    Object.assign(video, others);
    if (position !== undefined) {
      course.videos.splice(course.videos.indexOf(video), 1);
      course.videos.splice(position - 1, 0, video);
    }
    const after = this.shownVideo(course, video);
    if (JSON.stringify(after) === before) return done(after, []);
    course.modifiedAt = now;
    return done(after, ['video.updated']);
  }

  private deleteVideo(command: CommandOfType<'courses.delete-video'>, now: Date): Verdict {
    const course = this.managed(command);
    if ('kind' in course) return course;
    const place = course.videos.findIndex(({ id }) => id === command.payload.videoId);
    if (place < 0) return refused('VIDEO_NOT_FOUND');
    course.videos.splice(place, 1);
    course.modifiedAt = now;
    return done(null, ['video.deleted']);
  }

  /** What stands in the way of any command about a subscription. */
  private missing({
    actor,
    payload: { userId, courseId },
  }: AboutSubscription): Verdict | undefined {
    if (!actor.isAdmin && actor.userId !== userId) return refused('FORBIDDEN');
    if (!this.people.some(({ id }) => id === userId)) return refused('USER_NOT_FOUND');
    return this.course(courseId) ? undefined : refused('COURSE_NOT_FOUND');
  }

  private of({
    userId,
    courseId,
  }: AboutSubscription['payload']): ReferenceSubscription | undefined {
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

  private subscribe(command: AboutSubscription, now: Date): Verdict {
    const missing = this.missing(command);
    if (missing) return missing;
    const { userId, courseId } = command.payload;
    const known = this.of(command.payload);
    if (known && known.status !== 'cancelled')
      return refused('ALREADY_SUBSCRIBED', { subscriptionId: known.id });
    const course = this.course(courseId)!;
    if (course.status !== 'open') return refused('COURSE_CLOSED', { courseId });
    if (this.freeSeats(course) <= 0) return refused('COURSE_FULL', { courseId });
    const subscription = this.takeUp(course, userId, now);
    return done(this.shown(subscription), ['subscription.created'], true);
  }

  private subscribeMany(command: CommandOfType<'courses.subscribe-many'>, now: Date): Verdict {
    const course = this.managed(command);
    if ('kind' in course) return course;
    const { courseId, userIds } = command.payload;
    if (course.status !== 'open') return refused('COURSE_CLOSED', { courseId });
    const subscribed: ReferenceSubscription[] = [];
    const refusals: { userId: number; code: string }[] = [];
    for (const userId of userIds) {
      const known = this.of({ userId, courseId });
      if (!this.people.some(({ id }) => id === userId))
        refusals.push({ userId, code: 'USER_NOT_FOUND' });
      else if (known && known.status !== 'cancelled')
        refusals.push({ userId, code: 'ALREADY_SUBSCRIBED' });
      else if (this.freeSeats(course) <= 0) refusals.push({ userId, code: 'COURSE_FULL' });
      else subscribed.push(this.takeUp(course, userId, now));
    }
    return done(
      { subscribed: subscribed.map((one) => this.shown(one)), refused: refusals },
      subscribed.map(() => 'subscription.created'),
    );
  }

  private cancel(command: AboutSubscription, now: Date): Verdict {
    const missing = this.missing(command);
    if (missing) return missing;
    const known = this.of(command.payload);
    if (!known || known.status === 'cancelled') return refused('SUBSCRIPTION_NOT_FOUND');
    if (known.status === 'completed')
      return refused('SUBSCRIPTION_COMPLETED', { subscriptionId: known.id });
    Object.assign(known, { status: 'cancelled', modifiedAt: now });
    const promoted = this.letIn(this.course(known.courseId)!, now);
    return done(null, ['subscription.cancelled', ...promoted]);
  }

  private complete(command: AboutSubscription, now: Date): Verdict {
    const missing = this.missing(command);
    if (missing) return missing;
    const known = this.of(command.payload);
    if (!known || known.status === 'cancelled') return refused('SUBSCRIPTION_NOT_FOUND');
    if (known.status === 'completed') return done(this.shown(known), []);
    Object.assign(known, { status: 'completed', modifiedAt: now, completedAt: now });
    return done(this.shown(known), ['subscription.completed']);
  }

  private completeVideo(
    command: CommandOfType<'courses.complete-video' | 'courses.uncomplete-video'>,
    now: Date,
    wanted: boolean,
  ): Verdict {
    const missing = this.missing(command);
    if (missing) return missing;
    const { userId, courseId, videoId } = command.payload;
    const known = this.of({ userId, courseId });
    if (!known || known.status === 'cancelled') return refused('SUBSCRIPTION_NOT_FOUND');
    const { videos, completesAutomatically } = this.course(courseId)!;
    const video = videos.find(({ id }) => id === videoId);
    if (!video) return refused('VIDEO_NOT_FOUND');
    if (video.completedBy.has(userId) === wanted) return done(this.shown(known), []);
    if (wanted) video.completedBy.add(userId);
    else video.completedBy.delete(userId);
    known.modifiedAt = now;
    const all = videos.every(({ completedBy }) => completedBy.has(userId));
    if (!completesAutomatically || !all || known.status === 'completed')
      return done(this.shown(known), ['progress.changed']);
    Object.assign(known, { status: 'completed', completedAt: now });
    return done(this.shown(known), ['progress.changed', 'subscription.completed']);
  }

  private join(command: AboutSubscription, now: Date): Verdict {
    const missing = this.missing(command);
    if (missing) return missing;
    const { userId, courseId } = command.payload;
    const course = this.course(courseId)!;
    const known = this.of(command.payload);
    if (known && known.status !== 'cancelled')
      return refused('ALREADY_SUBSCRIBED', { subscriptionId: known.id });
    if (course.line.some((wait) => wait.userId === userId))
      return refused('ALREADY_WAITING', { courseId });
    if (course.status !== 'open') return refused('COURSE_CLOSED', { courseId });
    if (this.freeSeats(course) > 0) return refused('SEATS_AVAILABLE', { courseId });
    const id = known?.id ?? this.next.subscription++;
    course.line.push({ id, userId, createdAt: now });
    const username = this.people.find((person) => person.id === userId)?.username;
    const position = course.line.length;
    return done(
      { courseId, userId, username, position, createdAt: now.toISOString() },
      ['waitlist.joined'],
      true,
    );
  }

  private leave(command: AboutSubscription, now: Date): Verdict {
    const missing = this.missing(command);
    if (missing) return missing;
    const { userId, courseId } = command.payload;
    const course = this.course(courseId)!;
    const place = course.line.findIndex((wait) => wait.userId === userId);
    if (place < 0) return refused('WAITLIST_ENTRY_NOT_FOUND');
    course.line.splice(place, 1);
    return done(null, ['waitlist.left', ...this.letIn(course, now)]);
  }
}
