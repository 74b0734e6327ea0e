import { WAITLIST_MAX, type CoursesCommand } from '../../shared/courses/commands';
import type { AllIdsOf, IdsOf, NeedsOf } from '../batch/service/needs';
import { pairOf } from './pair';

/** What each course command needs: new ids, and rows for its decision. */

/** How many more users of a line are read than there are seats, because some may be erased. */
const SPARE = 20;

type Pair = readonly [userId: number, courseId: number];
interface Whose {
  readonly userId: number;
  readonly courseId: number;
}

/** What a batch of course commands reads. */
export class Wanted {
  readonly courses = new Set<number>();
  readonly users = new Set<number>();
  readonly subscriptions = new Map<string, Pair>();
  readonly videos = new Set<number>();
  readonly removedVideos = new Set<number>();
  /** Videos whose completions are read. */
  readonly completed = new Set<number>();
  readonly waits = new Map<string, Pair>();
  /** How many users of each line may get a seat in the batch, at most. */
  readonly lines = new Map<number, number>();
  /** Courses whose waitlists get a new user. */
  readonly tails = new Set<number>();
  /** Courses whose subscriptions are counted. */
  readonly counts = new Set<number>();

  subscription({ userId, courseId }: Whose): void {
    this.courses.add(courseId);
    this.users.add(userId);
    this.subscriptions.set(pairOf(userId, courseId), [userId, courseId]);
  }

  wait({ userId, courseId }: Whose): void {
    this.subscription({ userId, courseId });
    this.waits.set(pairOf(userId, courseId), [userId, courseId]);
  }

  line(courseId: number, length: number): void {
    const before = this.lines.get(courseId) ?? SPARE;
    this.lines.set(courseId, Math.min(before + length, WAITLIST_MAX));
  }
}

export const coursesNeeds = {
  'courses.register-course': {
    ids: { course: 1 },
    reads({ payload }, wanted) {
      wanted.users.add(payload.userId);
    },
  },
  'courses.update-course': {
    ids: {},
    reads({ payload: { courseId } }, wanted) {
      wanted.courses.add(courseId);
      wanted.line(courseId, WAITLIST_MAX);
    },
  },
  'courses.delete-course': {
    ids: {},
    reads({ payload: { courseId } }, wanted) {
      wanted.courses.add(courseId);
      wanted.counts.add(courseId);
      wanted.line(courseId, WAITLIST_MAX);
    },
  },
  'courses.add-video': {
    ids: { video: 1 },
    reads({ payload }, wanted) {
      wanted.courses.add(payload.courseId);
    },
  },
  'courses.update-video': {
    ids: {},
    reads({ payload: { courseId, videoId } }, wanted) {
      wanted.courses.add(courseId);
      wanted.videos.add(videoId);
    },
  },
  'courses.delete-video': {
    ids: {},
    reads({ payload: { courseId, videoId } }, wanted) {
      wanted.courses.add(courseId);
      wanted.videos.add(videoId);
      wanted.completed.add(videoId);
      wanted.removedVideos.add(videoId);
    },
  },
  'courses.subscribe': {
    ids: { subscription: 1 },
    reads({ payload }, wanted) {
      wanted.subscription(payload);
    },
  },
  'courses.cancel-subscription': {
    ids: {},
    reads({ payload }, wanted) {
      wanted.subscription(payload);
      wanted.line(payload.courseId, 1);
    },
  },
  'courses.complete-subscription': {
    ids: {},
    reads({ payload }, wanted) {
      wanted.subscription(payload);
    },
  },
  'courses.subscribe-many': {
    ids: { subscription: ({ userIds }) => userIds.length },
    reads({ payload: { courseId, userIds } }, wanted) {
      wanted.courses.add(courseId);
      for (const userId of userIds) wanted.subscription({ userId, courseId });
    },
  },
  'courses.complete-video': {
    ids: {},
    reads({ payload }, wanted) {
      wanted.subscription(payload);
      wanted.videos.add(payload.videoId);
      wanted.completed.add(payload.videoId);
    },
  },
  'courses.uncomplete-video': {
    ids: {},
    reads({ payload }, wanted) {
      wanted.subscription(payload);
      wanted.videos.add(payload.videoId);
      wanted.completed.add(payload.videoId);
    },
  },
  'courses.join-waitlist': {
    ids: { subscription: 1 },
    reads({ payload }, wanted) {
      wanted.wait(payload);
      wanted.tails.add(payload.courseId);
    },
  },
  'courses.leave-waitlist': {
    ids: {},
    reads({ payload }, wanted) {
      wanted.wait(payload);
      wanted.line(payload.courseId, 2);
    },
  },
} satisfies NeedsOf<CoursesCommand, Wanted>;

/** The ids that a command may take. */
export type CoursesIds<Type extends CoursesCommand['type']> = IdsOf<typeof coursesNeeds, Type>;
export type AnyCoursesId = AllIdsOf<typeof coursesNeeds>;
