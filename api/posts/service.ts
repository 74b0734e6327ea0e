import type { ApiService } from '../service';
import { postsEventSchemas } from './event-schemas';
import { postsExport } from './export';
import { postsEndpoints } from './routes';
import { post, tag } from './schemas';

export const postsService: ApiService = {
  endpoints: (parts) => postsEndpoints(parts),
  results: [post, tag],
  events: postsEventSchemas,
  exportParts: () => postsExport,
};
