import { createHash } from 'node:crypto';
import Joi from 'joi';
import type { Sequelize } from 'sequelize-typescript';
import type { Actor } from '../../shared/command';
import { date, line } from '../../shared/fields';
import { postFields, postKey, type PostText } from '../../shared/posts/commands';
import { postTag, type PostView } from '../../shared/posts/views';
import { POST_WORDS_MAX } from '../../shared/posts/words';
import type { EventStreams } from '../events/streams';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { entityTags } from '../http/responses/entity-tags';
import { listAnswer, listHeaders, pageRules } from '../http/requests/paging';
import { Problem } from '../http/responses/problem';
import { queryId } from '../http/requests/query-rules';
import { rejectFaults } from '../http/requests/validate';
import { changed, created, listed, noContent, tagged } from '../openapi/doc';
import { findAuthor, findPost, findPosts, findPostsByTags, type PostFilters } from './queries';
import { readTagQuery, tagQueryRules } from './tag-query';
import { post, posts } from './schemas';
import { tagFeedEndpoints } from './tag-feeds';
import { tagEndpoints } from './tag-routes';

/** Serves posts, and finds them by their tags. */

export interface PostsEndpointsOptions {
  readonly database: Sequelize;
  /** Whether a post is taken from signed-in clients only. */
  readonly exposure: { readonly tokenForPosts: boolean };
  /** Streams of new posts. */
  readonly streams: EventStreams;
}

/** Fields of a post that clients cannot change. */
const READ_ONLY_FIELDS = ['postId', 'createdAt', 'userId'] as const;

/** Most characters of `q`. */
const QUERY_LENGTH_MAX = 255;

/** What `postTag` makes. */
const POST_TAG = /^[\w-]{27}$/;

const idOf = ({ params }: Pick<Input, 'params'>): number => params['postId'] as number;
const noSuchPost = (postId: number): Problem =>
  new Problem('POST_NOT_FOUND', `There is no post ${postId}.`);

type PostBody = PostText & { readonly userId: number };

const create = (tokenForPosts: boolean): Endpoint => ({
  method: 'post',
  path: '/posts',
  who: tokenForPosts ? 'user' : 'public',
  kind: 'write',
  body: Joi.object({
    title: postFields.title.required(),
    content: postFields.content.required(),
    tags: postFields.tags.required(),
    userId: postFields.userId.required(),
  }),
  doc: {
    id: 'createPost',
    tag: 'Posts',
    summary: 'Write a post',
    description:
      "With a token `userId` must be the caller's own, unless they are an administrator.",
    answers: created(post),
    problems: ['FORBIDDEN'],
    example: {
      title: 'Move semantics',
      content: 'A moved-from object is valid.',
      tags: ['c++', 'performance'],
      userId: 7,
    },
  },
  location: ({ postId }) => `/posts/${String(postId)}`,
  command: ({ body, actor }: Input<PostBody>): Draft => {
    const forAnother = actor.userId !== null && actor.userId !== body.userId;
    if (forAnother && !actor.isAdmin)
      throw new Problem(
        'FORBIDDEN',
        'userId must be your own id. Only an administrator may post for somebody else.',
      );
    // Equal posts share a key, so that one sent again goes to the same partition.
    const key = `post-of:${createHash('sha1').update(JSON.stringify(body)).digest('hex')}`;
    return { type: 'posts.create-post', key, payload: body };
  },
});

/**
 * Refuses at once, also where the client does not wait, what the worker would refuse. An author
 * never changes.
 */
async function mustOwn(postId: number, actor: Actor): Promise<void> {
  const author = await findAuthor(postId);
  if (author === null) throw noSuchPost(postId);
  if (!actor.isAdmin && actor.userId !== author)
    throw new Problem('FORBIDDEN', 'Only the author of a post or an administrator may change it.');
}

/** Returns the ETags of posts in If-Match. Foreign tags fit none. */
function ifTags({ header }: Pick<Input, 'header'>): { ifTags?: string[] } {
  const tags = entityTags(header('if-match'));
  return tags ? { ifTags: tags.filter((tag) => POST_TAG.test(tag)) } : {};
}

const update: Endpoint = {
  method: 'patch',
  path: '/posts/:postId',
  who: 'user',
  kind: 'write',
  body: Joi.object({
    title: postFields.title,
    content: postFields.content,
    tags: postFields.tags,
    ...Object.fromEntries(READ_ONLY_FIELDS.map((field) => [field, Joi.forbidden()])),
  }).min(1),
  doc: {
    id: 'updatePost',
    tag: 'Posts',
    summary: 'Change a post',
    description: 'For its author and administrators. Fields that are left out stay.',
    answers: changed(post),
    problems: ['FORBIDDEN', 'POST_NOT_FOUND', 'VERSION_MISMATCH'],
    ifMatch: true,
    example: { tags: ['c++'] },
  },
  etag: (result) => `"${postTag(result as unknown as PostView)}"`,
  command: async (input: Input<Partial<PostText>>): Promise<Draft> => {
    const postId = idOf(input);
    await mustOwn(postId, input.actor);
    return {
      type: 'posts.update-post',
      key: postKey(postId),
      payload: { postId, changes: input.body, ...ifTags(input) },
    };
  },
};

const remove: Endpoint = {
  method: 'delete',
  path: '/posts/:postId',
  who: 'user',
  kind: 'write',
  doc: {
    id: 'deletePost',
    tag: 'Posts',
    summary: 'Delete a post',
    description: 'For its author and administrators.',
    answers: noContent('Deleted.'),
    problems: ['FORBIDDEN', 'POST_NOT_FOUND', 'VERSION_MISMATCH'],
    ifMatch: true,
  },
  command: async (input: Input): Promise<Draft> => {
    const postId = idOf(input);
    await mustOwn(postId, input.actor);
    return {
      type: 'posts.delete-post',
      key: postKey(postId),
      payload: { postId, ...ifTags(input) },
    };
  },
};

const detail: Endpoint = {
  method: 'get',
  path: '/posts/:postId',
  who: 'public',
  kind: 'read',
  doc: {
    id: 'getPost',
    tag: 'Posts',
    summary: 'One post',
    answers: tagged(post),
    problems: ['POST_NOT_FOUND'],
  },
  handle: async (input: Input) => {
    const postId = idOf(input);
    const post = await findPost(postId);
    if (!post) throw noSuchPost(postId);
    return { status: 200, headers: { ETag: `"${postTag(post)}"` }, body: post };
  },
};

const list = (database: Sequelize): Endpoint => ({
  method: 'get',
  path: '/posts',
  who: 'public',
  kind: 'read',
  query: Joi.object({
    q: line(QUERY_LENGTH_MAX).empty(''),
    userId: queryId(),
    from: date,
    to: date,
    ...pageRules(),
  }),
  doc: {
    id: 'listPosts',
    tag: 'Posts',
    summary: 'Posts, the newest first',
    description: `With \`q\` those that have each of its words, in any case, anywhere in title or content, also as a part of a word. A post is found by its first ${POST_WORDS_MAX} different words. \`from\` and \`to\` are the first and the last day, in UTC.`,
    answers: listed(post),
  },
  handle: async (input: Input<unknown, PostFilters>) => {
    const { from, to } = input.query;
    if (from !== undefined && to !== undefined && from > to)
      rejectFaults([
        { field: 'from', code: 'CONFLICTING_FIELDS', message: 'from must not be after to' },
      ]);
    return listAnswer(input, input.query, await findPosts(database, input.query));
  },
});

const byTags = (database: Sequelize): Endpoint => ({
  method: 'get',
  path: '/posts/tags',
  who: 'public',
  kind: 'read',
  // Looked at as it was written; see tag-query.ts.
  query: Joi.object().unknown(),
  doc: {
    id: 'findPostsByTags',
    tag: 'Posts',
    summary: 'Find posts by tags, the newest first',
    description:
      'The posts that have all of the tags (`match=any`: one of them). The list may stand without a name, as the first part without `=`: `/posts/tags?c++,spring&page=2`; there a plus is a plus.',
    answers: listed(post, posts),
    problems: ['TAGS_REQUIRED'],
    query: tagQueryRules,
  },
  handle: async ({ url }: Input) => {
    const filters = readTagQuery(url);
    const { items, ...totals } = await findPostsByTags(database, filters);
    return { status: 200, headers: listHeaders(url, filters, totals), body: items };
  },
});

export const postsEndpoints = ({
  database,
  exposure,
  streams,
}: PostsEndpointsOptions): Endpoint[] => [
  create(exposure.tokenForPosts),
  byTags(database),
  list(database),
  detail,
  update,
  remove,
  ...tagFeedEndpoints(database, streams),
  ...tagEndpoints(database),
];
