import type { CoursesCommand } from '../../shared/courses/commands';
import { coursesCacheKeys } from '../../shared/courses/views';
import type { DecisionContext } from '../batch/service/decision';
import { deleteCourse, registerCourse, updateCourse } from './decide-courses';
import {
  cancelSubscription,
  completeSubscription,
  subscribe,
  subscribeMany,
} from './decide-subscriptions';
import {
  addVideo,
  completeVideo,
  deleteVideo,
  uncompleteVideo,
  updateVideo,
} from './decide-videos';
import { joinWaitlist, leaveWaitlist } from './decide-waitlist';
import type { CoursesDecision } from './decided';
import type { AnyCoursesId } from './needs';
import type { CoursesView } from './state';

/**
 * Decides a command about courses. Pure: state, clock and ids come in, and a decision and the
 * changed rows go out.
 */
export function decideCourses(
  state: CoursesView,
  command: CoursesCommand,
  context: DecisionContext<AnyCoursesId>,
): CoursesDecision {
  return withSubjects(command, decided(state, command, context));
}

function decided(
  state: CoursesView,
  command: CoursesCommand,
  context: DecisionContext<AnyCoursesId>,
): CoursesDecision {
  switch (command.type) {
    case 'courses.register-course':
      return registerCourse({ state, command, context });
    case 'courses.update-course':
      return updateCourse({ state, command, context });
    case 'courses.delete-course':
      return deleteCourse({ state, command, context });
    case 'courses.add-video':
      return addVideo({ state, command, context });
    case 'courses.update-video':
      return updateVideo({ state, command, context });
    case 'courses.delete-video':
      return deleteVideo({ state, command, context });
    case 'courses.subscribe':
      return subscribe({ state, command, context });
    case 'courses.cancel-subscription':
      return cancelSubscription({ state, command, context });
    case 'courses.complete-subscription':
      return completeSubscription({ state, command, context });
    case 'courses.subscribe-many':
      return subscribeMany({ state, command, context });
    case 'courses.complete-video':
      return completeVideo({ state, command, context });
    case 'courses.uncomplete-video':
      return uncompleteVideo({ state, command, context });
    case 'courses.join-waitlist':
      return joinWaitlist({ state, command, context });
    case 'courses.leave-waitlist':
      return leaveWaitlist({ state, command, context });
  }
}

/** Adds the lists of users whom the command does not name to the changed subjects. */
function withSubjects(
  { payload }: CoursesCommand,
  { decision, changes }: CoursesDecision,
): CoursesDecision {
  const { subscriptions = [] } = changes;
  const named = 'userId' in payload ? payload.userId : undefined;
  const others = subscriptions.filter(({ userId }) => userId !== named);
  if (decision.kind !== 'done' || others.length === 0) return { decision, changes };
  const subjects = others.map(({ userId }) => coursesCacheKeys.userCourses(userId));
  return { decision: { ...decision, subjects }, changes };
}
