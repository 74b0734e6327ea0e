import Joi, { type CustomHelpers } from 'joi';
import { TAG_MESSAGES, TAGS_MAX, tagFault, tidyTag } from '../../shared/posts/tag';
import { pageRules } from '../http/paging';
import type { Fault } from '../http/problem';
import { queryId } from '../http/query-rules';
import { checkPart, rejectFaults } from '../http/validate';
import type { TagFilters } from './queries';

/**
 * The query of `GET /posts/tags`, whose list of tags has no name: `?c++,%20spring&match=any`. It is read from the URL as it was
 * written, because Express takes `c++,` for a parameter's name and a plus for a space. That its percent-encoding is whole was checked before.
 */

const SIZE_DEFAULT = 100;
const SIZE_MAX = 1000;

/** A decoded list cut at its commas; blanks mean nothing. */
function tagList(value: unknown, helpers: CustomHelpers): unknown {
  if (typeof value !== 'string') return helpers.error('tags.repeated');
  const tags = value.split(',').map(tidyTag).filter((tag) => tag !== '');
  const fault = tags.map(tagFault).find((one) => one !== null);
  if (fault) return helpers.error(fault);
  return tags.length > TAGS_MAX ? helpers.error('array.max', { limit: TAGS_MAX }) : tags;
}

const wantedTags = (value: unknown, helpers: CustomHelpers): unknown => {
  const tags = tagList(value, helpers);
  return Array.isArray(tags) && tags.length === 0 ? helpers.error('tags.required') : tags;
};

const messages = {
  ...TAG_MESSAGES,
  'tags.required': 'a tag is required: /posts/tags?one,two',
  'tags.repeated': '{{#label}} must not be repeated',
  'array.max': `{{#label}} must name at most ${TAGS_MAX} tags`,
};

const listOf = (description: string) => ({ schema: { type: 'array', items: { type: 'string' }, description } });

export const tagQueryRules = Joi.object({
  // Joi checks nothing of what is absent, so the list is always given, if empty.
  tags: Joi.any()
    .custom(wantedTags)
    .messages(messages)
    .meta(listOf(`The tags wanted, 1 to ${TAGS_MAX}. They may also stand without a name: \`/posts/tags?c++,spring\`; blanks mean nothing.`)),
  match: Joi.string().valid('all', 'any').default('all'),
  exclude: Joi.any()
    .custom(tagList)
    .messages(messages)
    .meta(listOf('Posts with any of these tags are left out.'))
    .default([]),
  userId: queryId(),
  ...pageRules({ sizeDefault: SIZE_DEFAULT, sizeMax: SIZE_MAX }),
});

/** Parameters by name, those that are repeated as arrays. The first part without `=` is the list of tags. */
function parametersOf(url: string): Record<string, unknown> {
  const parameters = new Map<string, string[]>();
  const add = (name: string, value: string) => parameters.set(name, [...(parameters.get(name) ?? []), value]);
  const [, ...query] = url.split('?');
  let named = false;
  for (const part of query.join('?').split('&')) {
    const end = part.indexOf('=');
    if (part === '') continue;
    const isList = end < 0 && !named;
    if (isList) named = true;
    if (isList) add('tags', decodeURIComponent(part));
    else add(decodeURIComponent(end < 0 ? part : part.slice(0, end)), decodeURIComponent(end < 0 ? '' : part.slice(end + 1)));
  }
  const entries = [...parameters].map(([name, values]): [string, unknown] => [name, values.length > 1 ? values : values[0]]);
  return Object.fromEntries(entries);
}

/** @throws Problem 400 that names every fault. */
export function readTagQuery(url: string): TagFilters {
  const faults: Fault[] = [];
  const filters = checkPart('query', tagQueryRules, { tags: '', ...parametersOf(url) }, { isbnStrict: false }, faults);
  rejectFaults(faults);
  return filters as TagFilters;
}
