import Joi, { type CustomHelpers } from 'joi';
import { TAG_MESSAGES, TAGS_MAX, tagFault, tidyTag } from '../../shared/posts/tag';
import { pageRules, type Page } from '../http/requests/paging';
import type { Fault } from '../http/responses/problem';
import { queryId } from '../http/requests/query-rules';
import { checkPart, rejectFaults } from '../http/requests/validate';
import type { TagFilters } from './queries';

/**
 * The query of `GET /posts/tags`, whose list of tags has no name: `?c++,%20spring&match=any`. It is
 * read from the URL as it was written, because Express takes `c++,` for a parameter's name and a
 * plus for a space. That its percent-encoding is whole was checked before.
 */

const SIZE_DEFAULT = 100;
const SIZE_MAX = 1000;

/** Returns a decoded list cut at its commas; spaces are ignored. */
function tagList(value: string, helpers: CustomHelpers): unknown {
  const tags = value
    .split(',')
    .map(tidyTag)
    .filter((tag) => tag !== '');
  const fault = tags.map(tagFault).find((one) => one !== null);
  if (fault) return helpers.error(fault);
  return tags.length > TAGS_MAX ? helpers.error('array.max', { limit: TAGS_MAX }) : tags;
}

const wantedTags = (value: string, helpers: CustomHelpers): unknown => {
  const tags = tagList(value, helpers);
  return Array.isArray(tags) && tags.length === 0 ? helpers.error('tags.required') : tags;
};

const messages = {
  ...TAG_MESSAGES,
  'tags.required': 'a tag is required: /posts/tags?one,two',
  'array.max': `{{#label}} must name at most ${TAGS_MAX} tags`,
};

const listOf = (description: string) => ({
  schema: { type: 'array', items: { type: 'string' }, description },
});

const tagRules = {
  // Joi checks nothing of what is absent, so the list is always given, if empty.
  tags: Joi.any()
    .custom(wantedTags)
    .messages(messages)
    .meta(
      listOf(
        `The tags wanted, 1 to ${TAGS_MAX}. The parameter may be repeated. They may also stand without a name: \`/posts/tags?c++,spring\`; spaces are ignored.`,
      ),
    ),
  match: Joi.string().valid('all', 'any').default('all'),
  exclude: Joi.any()
    .custom(tagList)
    .messages(messages)
    .meta(listOf('Posts with any of these tags are left out. The parameter may be repeated.'))
    .default([]),
  userId: queryId(),
};

export const tagQueryRules = Joi.object({
  ...tagRules,
  ...pageRules({ sizeDefault: SIZE_DEFAULT, sizeMax: SIZE_MAX }),
});

/** The same list of tags, without pages. */
export const tagFeedRules = Joi.object(tagRules);

export type TagQuery = Omit<TagFilters, keyof Page>;

/** Those that are lists, which may be written in several parts. */
const LISTS: ReadonlySet<string> = new Set(['tags', 'exclude']);
const NAMES: ReadonlySet<string> = new Set(
  Object.keys((tagQueryRules.describe() as { keys: object }).keys),
);

/**
 * Reads the parameters of a URL by name; a repeated one is an array. The first part without a value
 * is the list of tags, unless it is the name of a parameter. So is one with an empty value, because
 * clients and proxies add the `=`.
 */
function parametersOf(url: string): Record<string, unknown> {
  const parameters = new Map<string, string[]>([['tags', ['']]]);
  const [, ...query] = url.split('?');
  let named = false;
  for (const part of query.join('?').split('&')) {
    if (part === '') continue;
    const end = part.indexOf('=');
    const [name, value] = (end < 0 ? [part, ''] : [part.slice(0, end), part.slice(end + 1)]).map(
      decodeURIComponent,
    ) as [string, string];
    const isList = !named && value === '' && (end < 0 || !NAMES.has(name));
    if (isList) named = true;
    const [to, text] = isList ? ['tags', name] : [name, value];
    parameters.set(to, [...(parameters.get(to) ?? []), text]);
  }
  return Object.fromEntries(
    [...parameters].map(([name, values]): [string, unknown] => [
      name,
      LISTS.has(name) ? values.join(',') : values.length > 1 ? values : values[0],
    ]),
  );
}

function read(url: string, rules: Joi.ObjectSchema): unknown {
  const faults: Fault[] = [];
  const query = checkPart('query', rules, parametersOf(url), { isbnStrict: false }, faults);
  rejectFaults(faults);
  return query;
}

/** @throws Problem 400 that names every fault. */
export const readTagQuery = (url: string): TagFilters => read(url, tagQueryRules) as TagFilters;

/** @throws Problem 400 that names every fault, and a page as one. */
export const readTagFeedQuery = (url: string): TagQuery => read(url, tagFeedRules) as TagQuery;
