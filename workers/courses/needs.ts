import type { CoursesCommand } from '../../shared/courses/commands';
import type { AllIdsOf, IdsOf, NeedsOf } from '../batch/needs';

/** What each course command needs: the ids that it takes, and the rows that it is decided on. */

/** What a batch of course commands reads. */
export class Wanted {
  readonly courses = new Set<number>();
  readonly users = new Set<number>();
  readonly subscriptions = new Map<string, readonly [userId: number, courseId: number]>();

  subscription({ userId, courseId }: { readonly userId: number; readonly courseId: number }): void {
    this.courses.add(courseId);
    this.users.add(userId);
    this.subscriptions.set(`${userId}:${courseId}`, [userId, courseId]);
  }
}

export const coursesNeeds = {
  'courses.register-course': {
    ids: { course: 1 },
    reads({ payload }, wanted) {
      wanted.users.add(payload.userId);
    },
  },
  'courses.add-video': {
    ids: { video: 1 },
    reads({ payload }, wanted) {
      wanted.courses.add(payload.courseId);
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
    },
  },
  'courses.complete-subscription': {
    ids: {},
    reads({ payload }, wanted) {
      wanted.subscription(payload);
    },
  },
} satisfies NeedsOf<CoursesCommand, Wanted>;

/** The ids that a command may take. */
export type CoursesIds<Type extends CoursesCommand['type']> = IdsOf<typeof coursesNeeds, Type>;
export type AnyCoursesId = AllIdsOf<typeof coursesNeeds>;
