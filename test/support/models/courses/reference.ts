import type { CoursesCommand } from '../../../../shared/courses/commands';
import type { Verdict } from '../verdict';
import { ReferenceCampus } from './reference-campus';
import {
  addVideo,
  deleteCourse,
  deleteVideo,
  register,
  updateCourse,
  updateVideo,
} from './reference-courses';
import {
  cancel,
  complete,
  completeVideo,
  join,
  leave,
  subscribe,
  subscribeMany,
} from './reference-subscriptions';

/**
 * The rules of courses a second time, as naively as they can be written: plain arrays, everything
 * counted anew for every question.
 */
export class Reference extends ReferenceCampus {
  decide(command: CoursesCommand, now: Date): Verdict {
    switch (command.type) {
      case 'courses.register-course':
        return register(this, command, now);
      case 'courses.update-course':
        return updateCourse(this, command, now);
      case 'courses.delete-course':
        return deleteCourse(this, command, now);
      case 'courses.add-video':
        return addVideo(this, command, now);
      case 'courses.update-video':
        return updateVideo(this, command, now);
      case 'courses.delete-video':
        return deleteVideo(this, command, now);
      case 'courses.subscribe':
        return subscribe(this, command, now);
      case 'courses.cancel-subscription':
        return cancel(this, command, now);
      case 'courses.complete-subscription':
        return complete(this, command, now);
      case 'courses.subscribe-many':
        return subscribeMany(this, command, now);
      case 'courses.complete-video':
        return completeVideo(this, command, now, true);
      case 'courses.uncomplete-video':
        return completeVideo(this, command, now, false);
      case 'courses.join-waitlist':
        return join(this, command, now);
      case 'courses.leave-waitlist':
        return leave(this, command, now);
    }
  }
}
