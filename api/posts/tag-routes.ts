import Joi from 'joi';
import type { Sequelize } from 'sequelize-typescript';
import { MERGES_KEY, postFields } from '../../shared/posts/commands';
import { foldedTag, tagFault, tidyTag } from '../../shared/posts/tag';
import type { TagView } from '../../shared/posts/views';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { listAnswer, pageRules } from '../http/requests/paging';
import { Problem } from '../http/responses/problem';
import { querySort } from '../http/requests/query-rules';
import { rejectFaults } from '../http/requests/validate';
import { listed, noContent, shown } from '../openapi/doc';
import { findTag, findTags, TAG_SORTS, type TagListFilters } from './queries';
import { findRelatedTags } from './related-tags';
import { relatedTags, tag } from './schemas';

/** Tags: finding them, what stands beside them, and changing them. */

const namePart = { name: { type: 'string', minLength: 1 } };

/** @throws Problem TAG_NOT_FOUND for a name that no tag can have. */
function nameOf({ params }: Pick<Input, 'params'>): string {
  const name = tidyTag(String(params['name']));
  if (tagFault(name) !== null) throw new Problem('TAG_NOT_FOUND', 'There is no such tag.');
  return name;
}

/** @throws Problem TAG_NOT_FOUND */
async function tagOf(input: Pick<Input, 'params'>): Promise<TagView> {
  const name = nameOf(input);
  const found = await findTag(name);
  if (!found) throw new Problem('TAG_NOT_FOUND', `There is no tag "${name}".`);
  return found;
}

const detail: Endpoint = {
  method: 'get',
  path: '/tags/:name',
  who: 'public',
  kind: 'read',
  doc: {
    id: 'getTag',
    tag: 'Posts',
    summary: 'One tag',
    description: 'By any spelling. A merged or former name returns the tag that it leads to.',
    answers: shown(tag),
    problems: ['TAG_NOT_FOUND'],
    params: namePart,
  },
  handle: async (input: Input) => ({ status: 200, body: await tagOf(input) }),
};

const related = (database: Sequelize): Endpoint => ({
  method: 'get',
  path: '/tags/:name/related',
  who: 'public',
  kind: 'read',
  query: Joi.object({ size: pageRules().size }),
  doc: {
    id: 'listRelatedTags',
    tag: 'Posts',
    summary: 'Tags that most often occur with a tag',
    description: 'Counted in its newest 1,000 posts.',
    answers: { 200: { description: 'The most frequent first.', schema: relatedTags } },
    problems: ['TAG_NOT_FOUND'],
    params: namePart,
  },
  handle: async (input: Input<unknown, { readonly size: number }>) => {
    const { tagId } = await tagOf(input);
    return { status: 200, body: { items: await findRelatedTags(database, tagId, input.query) } };
  },
});

const tags: Endpoint = {
  method: 'get',
  path: '/tags',
  who: 'public',
  kind: 'read',
  query: Joi.object({
    q: postFields.tag.empty(''),
    sort: querySort(TAG_SORTS, { field: 'postCount', descending: true }),
    ...pageRules(),
  }),
  doc: {
    id: 'listTags',
    tag: 'Posts',
    summary: 'Tags that begin with a text',
    answers: listed(tag),
  },
  handle: async (input: Input<unknown, TagListFilters>) =>
    listAnswer(input, input.query, await findTags(input.query)),
};

const merge: Endpoint = {
  method: 'post',
  path: '/tags/:name/merge',
  who: 'admin',
  kind: 'write',
  body: Joi.object({ into: postFields.tag.required() }),
  doc: {
    id: 'mergeTag',
    tag: 'Posts',
    summary: 'Merge a tag into another',
    description: 'Posts of either are then found under both names.',
    answers: shown(tag),
    problems: ['TAG_NOT_FOUND'],
    params: namePart,
    example: { into: 'c++' },
  },
  command: ({ params, body: { into } }: Input<{ readonly into: string }>): Draft => {
    const name = nameOf({ params });
    if (foldedTag(name) === foldedTag(into))
      rejectFaults([
        {
          field: 'into',
          code: 'CONFLICTING_FIELDS',
          message: 'into must be another tag than the one that is merged',
        },
      ]);
    return { type: 'posts.merge-tag', key: MERGES_KEY, payload: { name, into } };
  },
};

const rename: Endpoint = {
  method: 'patch',
  path: '/tags/:name',
  who: 'admin',
  kind: 'write',
  body: Joi.object({ name: postFields.tag.required() }),
  doc: {
    id: 'renameTag',
    tag: 'Posts',
    summary: 'Rename a tag',
    description:
      'Its posts show the new name in the place of the old one, and are found under both. When only the spelling changes, they keep the spellings of their authors. A name that belongs to another tag is 409 `TAG_TAKEN`: merge the two.',
    answers: shown(tag),
    problems: ['TAG_NOT_FOUND', 'TAG_TAKEN'],
    params: namePart,
    example: { name: 'c++' },
  },
  command: ({ params, body }: Input<{ readonly name: string }>): Draft => ({
    type: 'posts.rename-tag',
    key: MERGES_KEY,
    payload: { name: nameOf({ params }), to: body.name },
  }),
};

const remove: Endpoint = {
  method: 'delete',
  path: '/tags/:name',
  who: 'admin',
  kind: 'write',
  doc: {
    id: 'deleteTag',
    tag: 'Posts',
    summary: 'Delete a tag',
    description:
      'Its posts stay, without it. The names that lead to it go as well: former ones, and those of tags that were merged into it.',
    answers: noContent('Deleted.'),
    problems: ['TAG_NOT_FOUND'],
    params: namePart,
  },
  command: ({ params }: Input): Draft => ({
    type: 'posts.delete-tag',
    key: MERGES_KEY,
    payload: { name: nameOf({ params }) },
  }),
};

export const tagEndpoints = (database: Sequelize): Endpoint[] => [
  tags,
  detail,
  related(database),
  merge,
  rename,
  remove,
];
