import { CONTENT_LENGTH_MAX, type PostsCommand } from '../../shared/posts/commands';
import type { WorkerService } from '../batch/decision';
import { TooMuchAtOnce } from '../batch/retry';
import { statePlan } from '../batch/state-plan';
import { decidePosts } from './decide';
import { PostsState, type PostsChanges } from './state';
import { postsReads, postsWrites, spellingsIn } from './store';

/**
 * Most content in one transaction, characters. It is written three times (post, outcome, event) and
 * escaped on the way, and all must fit into the 16 MiB that MariaDB takes as one packet.
 */
const CONTENT_PER_BATCH_MAX = 500_000;

function contentLength({ type, payload }: PostsCommand): number {
  if (type === 'posts.create-post') return payload.content.length;
  // Without a new content the stored one is written again, of whatever length it is.
  return type === 'posts.update-post' ? (payload.changes.content?.length ?? CONTENT_LENGTH_MAX) : 0;
}

function mustFit(commands: readonly PostsCommand[]): void {
  if (commands.length === 1) return;
  // It rewrites the tags of posts that are not loaded, so no other decision may rest on what was
  // read before it.
  if (commands.some(({ type }) => type === 'posts.merge-tag'))
    throw new TooMuchAtOnce('a merge is carried out alone');
  const length = commands.reduce((sum, command) => sum + contentLength(command), 0);
  if (length > CONTENT_PER_BATCH_MAX)
    throw new TooMuchAtOnce(`the batch carries ${length} characters of content`);
}

/**
 * Post tagging, put together: reads, `decide`, writes. `lockRows`: whether several workers may
 * write at once.
 */
export function postsService({ lockRows }: { readonly lockRows: boolean }): WorkerService {
  return {
    idsNeeded(envelopes) {
      const commands = envelopes as readonly PostsCommand[];
      return {
        post: commands.filter(({ type }) => type === 'posts.create-post').length,
        tag: spellingsIn(commands).size,
      };
    },
    plan(envelopes) {
      const commands = envelopes as readonly PostsCommand[];
      mustFit(commands);
      return statePlan<PostsState, PostsCommand, PostsChanges>({
        reads: postsReads(commands, lockRows),
        newState: () => new PostsState(),
        decide: decidePosts,
        writes: postsWrites,
        // Reads of posts go to the database.
        subjects: () => [],
        subjectsOf: () => [],
      });
    },
  };
}
