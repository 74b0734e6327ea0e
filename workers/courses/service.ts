import type { CoursesCommand } from '../../shared/courses/commands';
import type { WorkerService } from '../batch/decision';
import { decideCourses } from './decide';
import { CoursesState } from './state';
import { coursesReads, coursesSubjects, coursesSubjectsOf, coursesWrites } from './store';

/** Course subscriptions, put together: reads, `decide`, writes. */
export function coursesService(): WorkerService {
  return {
    idsNeeded(commands) {
      const count = (wanted: CoursesCommand['type']) => commands.filter(({ type }) => type === wanted).length;
      return { course: count('courses.register-course'), video: count('courses.add-video'), subscription: count('courses.subscribe') };
    },
    plan(envelopes) {
      const reads = coursesReads(envelopes as readonly CoursesCommand[]);
      return {
        reads: reads.map(({ statement }) => statement),
        open(results) {
          const state = new CoursesState();
          reads.forEach((read, index) => {
            read.apply(results[index]?.rows ?? [], state);
          });
          return {
            decide(command, context) {
              const { decision, changes } = decideCourses(state, command as CoursesCommand, context);
              state.evolve(changes);
              return decision;
            },
            writes: () => coursesWrites(state),
            subjects: () => coursesSubjects(state),
            subjectsOf: (command, result) => coursesSubjectsOf(command as CoursesCommand, result),
          };
        },
      };
    },
  };
}
