import type { ApiService } from '../service';
import { coursesEventSchemas } from './event-schemas';
import { coursesExport } from './export';
import { coursesEndpoints } from './routes';
import { bulk, course, subscription, video, wait } from './schemas';

export const coursesService: ApiService = {
  endpoints: coursesEndpoints,
  results: [course, video, subscription, bulk, wait],
  events: coursesEventSchemas,
  exportParts: () => coursesExport,
};
