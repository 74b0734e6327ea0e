import type { CoursesCommands } from '../../shared/courses/commands';
import type { ApiService } from '../service';
import { coursesEventSchemas } from './event-schemas';
import { coursesExport } from './export';
import { coursesEndpoints } from './routes';
import { bulk, course, subscription, video, wait } from './schemas';

export const coursesService: ApiService<keyof CoursesCommands> = {
  endpoints: coursesEndpoints,
  results: {
    'courses.register-course': course,
    'courses.update-course': course,
    'courses.delete-course': null,
    'courses.add-video': video,
    'courses.update-video': video,
    'courses.delete-video': null,
    'courses.subscribe': subscription,
    'courses.cancel-subscription': null,
    'courses.complete-subscription': subscription,
    'courses.subscribe-many': bulk,
    'courses.complete-video': subscription,
    'courses.uncomplete-video': subscription,
    'courses.join-waitlist': wait,
    'courses.leave-waitlist': null,
  },
  events: coursesEventSchemas,
  exportParts: () => coursesExport,
};
