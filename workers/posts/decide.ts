import type { PostsEvents } from '../../shared/posts/events';
import {
  postKey,
  tagKey,
  type PostsCommand,
  type PostsCommands,
  type PostsRefusal,
} from '../../shared/posts/commands';
import { distinctTags, foldedTag } from '../../shared/posts/tag';
import { postTag, postView, tagView } from '../../shared/posts/views';
import {
  decisionsOf,
  type DecisionContext,
  type DecisionInput,
  type DecisionOf,
} from '../batch/service/decision';
import type { AnyPostsId, PostsIds } from './needs';
import type { Post, PostsChanges, PostsView, Tag } from './state';

/**
 * The rules of posts and tags. Pure: state, clock and ids come in; a decision and the changed rows
 * go out.
 */

type PostsDecision = DecisionOf<PostsChanges>;
type PostsInput<Type extends keyof PostsCommands> = DecisionInput<
  PostsView,
  Extract<PostsCommand, { type: Type }>,
  PostsIds<Type>
>;

const { refuse, accept, event } = decisionsOf<{
  refusals: PostsRefusal;
  changes: PostsChanges;
  events: PostsEvents;
}>({});

const noTag = (name: string): PostsDecision => refuse('TAG_NOT_FOUND', `There is no tag ${name}.`);

interface Written {
  /** What the post shows. */
  readonly tags: string[];
  readonly tagIds: number[];
  /** Tags that did not exist. */
  readonly made: Tag[];
}

/**
 * Finds or makes the tags of the spellings that an author writes. Two of these may mean one tag,
 * when the one leads to the other.
 */
function tagsOf(
  written: readonly string[],
  { state, context }: { state: PostsView; context: DecisionContext<'tag'> },
): Written {
  const made: Tag[] = [];
  const spellings = distinctTags(written);
  const ids = spellings.map((name) => {
    const known = state.tag(name);
    if (known) return known.id;
    const tag = { id: context.takeId('tag'), name, postCount: 0 };
    made.push(tag);
    return tag.id;
  });
  const tags = distinctTags(spellings.map((spelling) => state.shown(spelling)));
  return { tags, tagIds: [...new Set(ids)], made };
}

function createPost(input: PostsInput<'posts.create-post'>): PostsDecision {
  const { command, context } = input;
  const { title, content, userId } = command.payload;
  const { tags, tagIds, made } = tagsOf(command.payload.tags, input);
  const post: Post = {
    id: context.takeId('post'),
    userId,
    title,
    content,
    tags,
    createdAt: context.now,
    tagIds,
  };
  const view = postView(post);
  return accept(
    view,
    { posts: [post], tags: made },
    [event('posts.post.created', postKey(post.id), view)],
    true,
  );
}

/** Finds the post that a command names, if the sender may change it and its version fits. */
function findOwn({
  state,
  command: { payload, actor },
}: PostsInput<'posts.update-post'> | PostsInput<'posts.delete-post'>): Post | PostsDecision {
  const post = state.post(payload.postId);
  if (!post) return refuse('POST_NOT_FOUND', `There is no post ${payload.postId}.`);
  const allowed = actor.isAdmin || actor.userId === post.userId;
  if (!allowed)
    return refuse('FORBIDDEN', 'Only the author of a post or an administrator may change it.');
  const asKnown = payload.ifTags?.includes(postTag(postView(post))) ?? true;
  return asKnown
    ? post
    : refuse(
        'VERSION_MISMATCH',
        `Post ${post.id} changed in the meantime. Read it again before you change it.`,
      );
}

function updatePost(input: PostsInput<'posts.update-post'>): PostsDecision {
  const before = findOwn(input);
  if ('decision' in before) return before;
  const { tags: spellings, ...texts } = input.command.payload.changes;
  const { tags, tagIds, made } = spellings ? tagsOf(spellings, input) : { ...before, made: [] };
  const { title, content } = { ...before, ...texts };
  if (
    title === before.title &&
    content === before.content &&
    JSON.stringify(tags) === JSON.stringify(before.tags)
  )
    return accept(postView(before), {}, []);
  const post: Post = { ...before, title, content, tags, tagIds };
  const view = postView(post);
  return accept(view, { posts: [post], tags: made }, [
    event('posts.post.updated', postKey(post.id), view),
  ]);
}

function deletePost(input: PostsInput<'posts.delete-post'>): PostsDecision {
  const post = findOwn(input);
  if ('decision' in post) return post;
  return accept(null, { deleted: [post] }, [
    event('posts.post.deleted', postKey(post.id), { postId: post.id }),
  ]);
}

function mergeTag({ state, command }: PostsInput<'posts.merge-tag'>): PostsDecision {
  const { name, into } = command.payload;
  const [source, target] = [state.tag(name), state.tag(into)];
  if (!source) return noTag(name);
  if (!target) return noTag(into);
  // Both names lead to one tag already.
  if (source.id === target.id) return accept(tagView(target), {}, []);
  const movedPosts = state.movedPosts(name, into);
  const merged = tagView({ ...target, postCount: target.postCount + movedPosts });
  const told = event('posts.tag.merged', tagKey(source.id), { ...tagView(source), into: merged });
  return accept(merged, { merges: [{ sourceId: source.id, targetId: target.id, movedPosts }] }, [
    told,
  ]);
}

function renameTag({ state, command, context }: PostsInput<'posts.rename-tag'>): PostsDecision {
  const { name, to } = command.payload;
  const [tag, other] = [state.tag(name), state.tag(to)];
  if (!tag) return noTag(name);
  if (other && other.id !== tag.id)
    return refuse(
      'TAG_TAKEN',
      `The name ${to} leads to the tag ${other.name}. Merge ${name} into it instead.`,
      { tagId: other.id },
    );
  if (tag.name === to) return accept(tagView(tag), {}, []);
  const formerId = foldedTag(tag.name) === foldedTag(to) ? null : context.takeId('tag');
  const renamed = tagView({ ...tag, name: to });
  return accept(renamed, { renames: [{ tag, name: to, formerId }] }, [
    event('posts.tag.renamed', tagKey(tag.id), { ...renamed, formerName: tag.name }),
  ]);
}

function deleteTag({ state, command }: PostsInput<'posts.delete-tag'>): PostsDecision {
  const { name } = command.payload;
  const tag = state.tag(name);
  if (!tag) return noTag(name);
  return accept(null, { deletedTags: [tag] }, [
    event('posts.tag.deleted', tagKey(tag.id), tagView(tag)),
  ]);
}

export function decidePosts(
  state: PostsView,
  command: PostsCommand,
  context: DecisionContext<AnyPostsId>,
): PostsDecision {
  switch (command.type) {
    case 'posts.create-post':
      return createPost({ state, command, context });
    case 'posts.update-post':
      return updatePost({ state, command, context });
    case 'posts.delete-post':
      return deletePost({ state, command, context });
    case 'posts.merge-tag':
      return mergeTag({ state, command, context });
    case 'posts.rename-tag':
      return renameTag({ state, command, context });
    case 'posts.delete-tag':
      return deleteTag({ state, command, context });
  }
}
