import { DOMParser, type Element } from '@xmldom/xmldom';
import { succeeded, uniqueWord } from '../../support/clients/books';
import { openStream, type OpenStream } from '../../support/clients/event-stream';
import { openBoard, type Board, type Post } from '../../support/clients/posts';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import { waitUntil } from '../../support/wait';

/** GET /posts/tags.atom and GET /posts/stream */

const ATOM = 'http://www.w3.org/2005/Atom';
const EVENTS_MS = 30_000;

let board: Board;
beforeAll(async () => {
  board = await openBoard();
});

/** A feed, read by a parser that takes nothing amiss. */
function parsed(xml: string): Element {
  const document = new DOMParser({
    onError: (level, message) => {
      // It only warns of U+FFFD, which may stand in a text.
      if (level !== 'warning') throw new Error(`${level}: ${message}`);
    },
  }).parseFromString(xml, 'application/xml');
  const root = document.documentElement as Element;
  expect([root.namespaceURI, root.localName]).toEqual([ATOM, 'feed']);
  return root;
}
const all = (root: Element, name: string): Element[] =>
  Array.from(root.getElementsByTagNameNS(ATOM, name));
const textOf = (root: Element, name: string) => all(root, name)[0]?.textContent;
const feed = async (query: string, etag?: string) =>
  board.call('get', `/posts/tags.atom?${query}`, {
    ...(etag !== undefined && { headers: { 'If-None-Match': etag } }),
  });
const xmlOf = async (query: string): Promise<string> => {
  const answer = await feed(query);
  expect([answer.status, answer.headers['content-type']]).toEqual([
    200,
    'application/atom+xml; charset=utf-8',
  ]);
  return Buffer.isBuffer(answer.body) ? answer.body.toString('utf8') : answer.text;
};

describe('the feed', () => {
  it('has the newest posts with the tags, each with a stable id, and all that they say as text', async () => {
    const tag = `${uniqueWord()} <&">`;
    const content = '<b>bold</b> & ]]> "quoted"\r\n\ttab 😀';
    const [first] = await board.postedWith([tag]);
    const second = await board.posted({ title: '<i>&amp;</i>', content, tags: [tag, 'other'] });
    const root = parsed(await xmlOf(encodeURIComponent(tag)));
    const entries = all(root, 'entry');
    expect(entries.map((entry) => textOf(entry, 'id'))).toEqual([
      `urn:lendline:post:${second.postId}`,
      `urn:lendline:post:${first}`,
    ]);
    const [entry] = entries as [Element];
    expect(textOf(entry, 'title')).toBe('<i>&amp;</i>');
    expect(textOf(entry, 'content')).toBe(content);
    expect(all(entry, 'content')[0]?.getAttribute('type')).toBe('text');
    expect(textOf(entry, 'updated')).toBe(`${second.createdAt}T00:00:00Z`);
    expect(all(entry, 'category').map((one) => one.getAttribute('term'))).toEqual([tag, 'other']);
    expect(textOf(entry, 'name')).toBe(`User ${second.userId}`);
    expect(all(entry, 'link')[0]?.getAttribute('href')).toBe(`/posts/${second.postId}`);
    expect(textOf(root, 'title')).toBe(`Posts with ${tag}`);
  });

  it('shows characters that XML does not have as U+FFFD', async () => {
    const tag = uniqueWord();
    await board.posted({ content: 'a\u0001\ufffeb', tags: [tag] });
    expect(textOf(parsed(await xmlOf(tag)), 'content')).toBe('a\ufffd\ufffdb');
  });

  it('knows the tags as the search does', async () => {
    const [a, b] = [uniqueWord(), uniqueWord()];
    const [onlyA, both] = await board.postedWith([a], [a, b]);
    const ids = async (query: string) =>
      all(parsed(await xmlOf(query)), 'entry').map((entry) =>
        Number(textOf(entry, 'id')?.split(':').at(-1)),
      );
    expect(await ids(`${a},${b}`)).toEqual([both]);
    expect(await ids(`${a}&exclude=${b}`)).toEqual([onlyA]);
    expect(await ids(`${uniqueWord()},${b}&match=any`)).toEqual([both]);
    expect(await ids(uniqueWord())).toEqual([]);
    expectProblem(await feed(''), 400, 'TAGS_REQUIRED', { errors: expect.any(Array) });
    expectFaults(await feed(`${a}&page=2`), { page: 'UNKNOWN_PARAMETER' });
  });

  it('is 304 until a post comes', async () => {
    const tag = uniqueWord();
    await board.postedWith([tag]);
    const { etag } = (await feed(tag)).headers as { etag: string };
    expect((await feed(tag, etag)).status).toBe(304);
    await board.postedWith([tag]);
    expect((await feed(tag, etag)).status).toBe(200);
  });
});

describe('the stream', () => {
  /** With a token of its own, so that no other test takes its place. */
  const open = (query: string, after?: string): Promise<OpenStream> =>
    openStream(
      `${board.target.url}/posts/stream?${query}`,
      board.newReader().token,
      after === undefined ? {} : { 'Last-Event-ID': after },
    );
  const arrived = (stream: OpenStream, count: number) =>
    waitUntil(`${count} posts`, EVENTS_MS, () => stream.events().length >= count);
  const postsOf = (stream: OpenStream) =>
    stream.events().map(({ data }) => JSON.parse(data) as Post);

  it('sends the new posts that have all tags, as they are', async () => {
    const [a, b] = [uniqueWord(), uniqueWord()];
    const stream = await open(`${a},${b}`);
    await board.postedWith([a], [b]);
    const post = await board.posted({ tags: [b.toUpperCase(), a] });
    await arrived(stream, 1);
    expect(stream.events()).toMatchObject([{ event: 'post', id: expect.any(String) }]);
    expect(postsOf(stream)).toEqual([post]);
    stream.close();
  });

  it('knows match, exclude and userId, and the names that lead to a tag', async () => {
    const [a, b, merged, userId] = [uniqueWord(), uniqueWord(), uniqueWord(), 77];
    await board.postedWith([a], [merged]);
    succeeded(await board.merge(merged, a), 200);
    const stream = await open(`${merged},${b}&match=any&exclude=x&userId=${userId}`);
    await board.posted({ tags: [a] });
    await board.posted({ tags: [a, 'X'], userId });
    const posts = [
      await board.posted({ tags: [a], userId }),
      await board.posted({ tags: [b], userId }),
    ];
    await arrived(stream, 2);
    expect(postsOf(stream)).toEqual(posts);
    stream.close();
  });

  it('is resumed by Last-Event-ID, and says when it cannot be', async () => {
    const tag = uniqueWord();
    const stream = await open(tag);
    await board.postedWith([tag], [tag], [tag]);
    await arrived(stream, 3);
    const [first] = stream.events();
    const resumed = await open(tag, first?.id);
    await arrived(resumed, 2);
    expect(resumed.events()).toEqual(stream.events().slice(1));
    const late = await open(tag, `${'0'.repeat(40)}.1`);
    await arrived(late, 1);
    expect(late.events()).toMatchObject([{ event: 'gap' }]);
    for (const one of [stream, resumed, late]) one.close();
  });

  it('needs a tag, and takes no page', async () => {
    expectProblem(await board.call('get', '/posts/stream'), 400, 'TAGS_REQUIRED', {
      errors: expect.any(Array),
    });
    expectFaults(await board.call('get', '/posts/stream?a&size=2'), {
      size: 'UNKNOWN_PARAMETER',
    });
  });

  it('is for anybody, ten readers at a network address', async () => {
    const streams: OpenStream[] = [];
    for (let number = 0; number < 11; number += 1)
      streams.push(await openStream(`${board.target.url}/posts/stream?${uniqueWord()}`));
    const statuses = streams.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    // Other tests may have some as well.
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(10);
    for (const stream of streams) stream.close();
  });
});
