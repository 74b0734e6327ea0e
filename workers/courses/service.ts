import type { CoursesCommand } from '../../shared/courses/commands';
import type { WorkerService } from '../batch/service/decision';
import { statePlan } from '../batch/service/state-plan';
import { decideCourses } from './decide';
import { coursesNeeds, type AnyCoursesId } from './needs';
import type { CoursesChanges } from './changes';
import { CoursesState } from './state';
import { coursesReads, coursesWrites } from './store';
import { coursesViews } from './subjects';

/**
 * Combines reads, decisions and writes of course subscriptions. `lockRows`: whether several workers
 * may write at once.
 */
export function coursesService({ lockRows }: { readonly lockRows: boolean }): WorkerService {
  return {
    needs: coursesNeeds,
    plan(envelopes) {
      return statePlan<CoursesState, CoursesCommand, CoursesChanges, AnyCoursesId>({
        reads: coursesReads(envelopes as readonly CoursesCommand[], lockRows),
        newState: () => new CoursesState(),
        decide: decideCourses,
        events: ({ events }) => events,
        writes: coursesWrites,
        views: coursesViews,
      });
    },
  };
}
