import type { CoursesCommand } from '../../shared/courses/commands';
import { coursesCacheKeys } from '../../shared/courses/views';
import type { CachedViews } from '../batch/service/cached-views';
import type { CoursesState } from './state';

const ofCourses = (ids: readonly number[]): string[] =>
  ids.length === 0 ? [] : [coursesCacheKeys.courses, ...ids.map(coursesCacheKeys.course)];
const ofOutlines = (ids: readonly number[]): string[] =>
  ids.length === 0 ? [] : [coursesCacheKeys.outlines, ...ids.map(coursesCacheKeys.syllabus)];

interface OfCourse {
  readonly payload: { readonly courseId: number };
}
interface OfUser extends OfCourse {
  readonly payload: { readonly courseId: number; readonly userId: number };
}

const itsCourse = ({ payload }: OfCourse): string[] => ofCourses([payload.courseId]);
/** Also of names, numbers or order of videos. */
const itsOutline = (command: OfCourse): string[] => [
  ...itsCourse(command),
  ...ofOutlines([command.payload.courseId]),
];
/** Also of the courses that its user takes. */
const itsUser = (command: OfUser): string[] => [
  ...itsCourse(command),
  coursesCacheKeys.userCourses(command.payload.userId),
];

/** The cache subjects of courses. */
export const coursesViews: CachedViews<CoursesState, CoursesCommand> = {
  changed(state) {
    const { subscriptions } = state.pending();
    const users = new Set(
      [...subscriptions.inserted, ...subscriptions.updated].map(({ userId }) => userId),
    );
    return [
      ...ofCourses(state.changedCourses()),
      ...ofOutlines(state.outlined()),
      ...[...users].map(coursesCacheKeys.userCourses),
    ];
  },
  of: {
    'courses.register-course': (_command, result) =>
      ofCourses([(JSON.parse(result ?? '{}') as { readonly courseId: number }).courseId]),
    'courses.update-course': itsOutline,
    'courses.delete-course': itsOutline,
    'courses.add-video': itsOutline,
    'courses.update-video': itsOutline,
    'courses.delete-video': itsOutline,
    'courses.subscribe': itsUser,
    'courses.cancel-subscription': itsUser,
    'courses.complete-subscription': itsUser,
    // Its decision adds the lists of all who are subscribed.
    'courses.subscribe-many': itsCourse,
    'courses.complete-video': itsUser,
    'courses.uncomplete-video': itsUser,
    'courses.join-waitlist': itsUser,
    'courses.leave-waitlist': itsUser,
  },
};
