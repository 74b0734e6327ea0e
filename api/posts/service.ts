import type { PostsCommands } from '../../shared/posts/commands';
import type { ApiService } from '../service';
import { postsEventSchemas } from './event-schemas';
import { postsExport } from './export';
import { postsEndpoints } from './routes';
import { post, tag } from './schemas';

export const postsService: ApiService<keyof PostsCommands> = {
  endpoints: (parts) => postsEndpoints(parts),
  results: {
    'posts.create-post': post,
    'posts.update-post': post,
    'posts.delete-post': null,
    'posts.merge-tag': tag,
    'posts.rename-tag': tag,
    'posts.delete-tag': null,
  },
  events: postsEventSchemas,
  exportParts: () => postsExport,
};
