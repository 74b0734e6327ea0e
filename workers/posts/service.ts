import type { PostsCommand } from '../../shared/posts/commands';
import type { WorkerService } from '../batch/service/decision';
import { statePlan } from '../batch/service/state-plan';
import { decidePosts } from './decide';
import { postsNeeds, type AnyPostsId } from './needs';
import { PostsState, type PostsChanges } from './state';
import { postsReads, postsWrites } from './store';

/**
 * Post tagging, put together: reads, `decide`, writes. `lockRows`: whether several workers may
 * write at once.
 */
export function postsService({ lockRows }: { readonly lockRows: boolean }): WorkerService {
  return {
    needs: postsNeeds,
    plan(envelopes) {
      const commands = envelopes as readonly PostsCommand[];
      return statePlan<PostsState, PostsCommand, PostsChanges, AnyPostsId>({
        reads: postsReads(commands, lockRows),
        newState: () => new PostsState(),
        decide: decidePosts,
        events: ({ events }) => events,
        writes: postsWrites,
        // Reads of posts go to the database.
        views: null,
      });
    },
  };
}
