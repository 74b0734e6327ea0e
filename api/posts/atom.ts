import type { PostView } from '../../shared/posts/views';
import type { TagQuery } from './tag-query';

/**
 * Posts as an Atom feed (RFC 4287). Ids are made of the ids of the posts, so they stay where the
 * service moves, and links are relative to the feed.
 */

/** `updated` of a feed without entries. */
const NEVER = '1970-01-01T00:00:00Z';

/** Characters that XML 1.0 has no form for, not even an escaped one. */
const NOT_IN_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // A reader of XML would make line feeds, or spaces, of these.
  '\r': '&#13;',
  '\t': '&#9;',
};

const escaped = (text: string): string =>
  text
    .replace(NOT_IN_XML, '\u{fffd}')
    .replace(/[&<>"\r\t]/g, (character) => ESCAPED[character] ?? character);

const updatedAt = ({ createdAt }: PostView): string => `${createdAt}T00:00:00Z`;

function entry(post: PostView): string {
  const { postId, title, content, tags, userId } = post;
  return [
    '<entry>',
    `<id>urn:lendline:post:${postId}</id>`,
    `<title>${escaped(title)}</title>`,
    `<updated>${updatedAt(post)}</updated>`,
    `<published>${updatedAt(post)}</published>`,
    `<author><name>User ${userId}</name></author>`,
    `<link rel="alternate" type="application/json" href="/posts/${postId}"/>`,
    ...tags.map((tag) => `<category term="${escaped(tag)}"/>`),
    `<content type="text">${escaped(content)}</content>`,
    '</entry>',
  ].join('\n');
}

/** Returns the subject of the feed, in one form for all spellings of the request. */
const queryOf = ({ tags, match, exclude, userId }: TagQuery): string =>
  [
    `tags=${tags.map(encodeURIComponent).join(',')}`,
    ...(match === 'any' ? ['match=any'] : []),
    ...(exclude.length > 0 ? [`exclude=${exclude.map(encodeURIComponent).join(',')}`] : []),
    ...(userId === undefined ? [] : [`userId=${userId}`]),
  ].join('&');

export function atomFeed(asked: TagQuery, posts: readonly PostView[]): string {
  const query = queryOf(asked);
  const [newest] = posts;
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>urn:lendline:posts:${escaped(query)}</id>`,
    `<title>Posts with ${escaped(asked.tags.join(asked.match === 'any' ? ' or ' : ' and '))}</title>`,
    `<updated>${newest ? updatedAt(newest) : NEVER}</updated>`,
    `<link rel="self" type="application/atom+xml" href="/posts/tags.atom?${escaped(query)}"/>`,
    ...posts.map(entry),
    '</feed>',
    '',
  ].join('\n');
}
