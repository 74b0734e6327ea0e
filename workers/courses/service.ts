import type { CoursesCommand } from '../../shared/courses/commands';
import type { WorkerService } from '../batch/decision';
import { statePlan } from '../batch/state-plan';
import { decideCourses } from './decide';
import { CoursesState, type CoursesChanges } from './state';
import { coursesReads, coursesSubjects, coursesSubjectsOf, coursesWrites } from './store';

/**
 * Course subscriptions, put together: reads, `decide`, writes. `lockRows`: whether several workers
 * may write at once.
 */
export function coursesService({ lockRows }: { readonly lockRows: boolean }): WorkerService {
  return {
    idsNeeded(commands) {
      const count = (wanted: CoursesCommand['type']) =>
        commands.filter(({ type }) => type === wanted).length;
      return {
        course: count('courses.register-course'),
        video: count('courses.add-video'),
        subscription: count('courses.subscribe'),
      };
    },
    plan(envelopes) {
      return statePlan<CoursesState, CoursesCommand, CoursesChanges>({
        reads: coursesReads(envelopes as readonly CoursesCommand[], lockRows),
        newState: () => new CoursesState(),
        decide: decideCourses,
        writes: coursesWrites,
        subjects: coursesSubjects,
        subjectsOf: coursesSubjectsOf,
      });
    },
  };
}
