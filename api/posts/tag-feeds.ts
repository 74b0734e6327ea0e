import { createHash } from 'node:crypto';
import Joi from 'joi';
import { Op } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { Tag } from '../../shared/posts/tables';
import { foldedTag } from '../../shared/posts/tag';
import type { PostView } from '../../shared/posts/views';
import type { EventMessage } from '../../shared/messaging/transport';
import type { EventStreams } from '../events/streams';
import type { Endpoint, Input } from '../http/endpoint';
import { text } from '../openapi/schema';
import { atomFeed } from './atom';
import { findPostsByTags } from './queries';
import { readTagFeedQuery, tagFeedRules, type TagQuery } from './tag-query';

/** New posts with some tags, for feed readers and as a stream. */

/** Entries of a feed. */
const FEED_SIZE = 50;
const NEW_POST = 'posts.post.created';

const atom = (database: Sequelize): Endpoint => ({
  method: 'get',
  path: '/posts/tags.atom',
  who: 'public',
  kind: 'read',
  // Looked at as it was written; see tag-query.ts.
  query: Joi.object().unknown(),
  doc: {
    id: 'feedPostsByTags',
    tag: 'Posts',
    summary: 'An Atom feed of posts by tags',
    description: `The newest ${FEED_SIZE} posts, found as \`GET /posts/tags\` finds them.`,
    answers: {
      200: {
        description: 'The feed.',
        schema: text,
        type: 'application/atom+xml',
        headers: ['ETag'],
      },
      304: { description: 'The version in `If-None-Match` is still current.', headers: ['ETag'] },
    },
    problems: ['TAGS_REQUIRED'],
    query: tagFeedRules,
  },
  handle: async ({ url }: Input) => {
    const asked = readTagFeedQuery(url);
    const { items } = await findPostsByTags(database, { ...asked, page: 1, size: FEED_SIZE });
    const feed = atomFeed(asked, items);
    const tag = createHash('sha1').update(feed).digest('base64url');
    return {
      status: 200,
      headers: { 'Content-Type': 'application/atom+xml; charset=utf-8', ETag: `W/"${tag}"` },
      json: feed,
    };
  },
});

/** For each of some tags all names that lead to it, folded. */
async function namesOf(tags: readonly string[]): Promise<ReadonlySet<string>[]> {
  const named = await Tag.findAll({ where: { folded: tags.map(foldedTag) }, raw: true });
  const ends = new Map(Array.from(named, (tag) => [tag.folded, tag.mergedInto ?? tag.id]));
  const ids = [...ends.values()];
  const all = await Tag.findAll({
    where: { [Op.or]: [{ id: ids }, { mergedInto: ids }] },
    raw: true,
  });
  return tags.map((tag) => {
    const names = all.filter(
      ({ id, mergedInto }) => (mergedInto ?? id) === ends.get(foldedTag(tag)),
    );
    return new Set([foldedTag(tag), ...Array.from(names, ({ folded }) => folded)]);
  });
}

/** Returns whether a new post has the tags, under any of the names that they have now. */
async function postFilter({
  tags,
  match,
  exclude,
  userId,
}: TagQuery): Promise<(post: PostView) => boolean> {
  const [wanted, unwanted] = [await namesOf(tags), await namesOf(exclude)];
  return (post) => {
    if (userId !== undefined && post.userId !== userId) return false;
    const has = post.tags.map(foldedTag);
    const isOn = (names: ReadonlySet<string>) => has.some((name) => names.has(name));
    if (unwanted.some(isOn)) return false;
    return match === 'any' ? wanted.some(isOn) : wanted.every(isOn);
  };
}

const postOf = ({ json }: EventMessage): PostView =>
  (JSON.parse(json) as { readonly data: PostView }).data;

const stream = (streams: EventStreams): Endpoint => ({
  method: 'get',
  path: '/posts/stream',
  who: 'public',
  kind: 'stream',
  query: Joi.object().unknown(),
  doc: {
    id: 'streamPostsByTags',
    tag: 'Posts',
    summary: 'New posts with some tags, as they are written',
    description:
      'Server-sent events called `post`, each with the post as it was written. The tags are named as in `GET /posts/tags`, and mean what they mean when the stream begins.',
    lastEventId: true,
    problems: ['TAGS_REQUIRED', 'RATE_LIMITED'],
    answers: {
      200: {
        description: 'The stream.',
        schema: text,
        type: 'text/event-stream',
      },
    },
    query: tagFeedRules,
  },
  async stream(input: Input, _request, response) {
    const fits = await postFilter(readTagFeedQuery(input.url));
    await streams.serve(input, response, {
      fits: (event) => event.type === NEW_POST && fits(postOf(event)),
      after: input.header('last-event-id'),
      shown: (event) => ({ name: 'post', json: JSON.stringify(postOf(event)) }),
    });
  },
});

export const tagFeedEndpoints = (database: Sequelize, streams: EventStreams): Endpoint[] => [
  atom(database),
  stream(streams),
];
