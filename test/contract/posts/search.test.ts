import { succeeded, uniqueWord } from '../../support/clients/books';
import { openBoard, type Board } from '../../support/clients/posts';
import { expectFaults } from '../../support/clients/problems';

/** GET /posts?q&userId&from&to */

let board: Board;
beforeAll(async () => {
  board = await openBoard();
});

const list = async (query: Readonly<Record<string, string | number>>) => {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]),
  );
  return succeeded(await board.call('get', `/posts?${text.toString()}`), 200) as {
    items: { postId: number }[];
    totalItems: number;
  };
};
const found = async (query: Readonly<Record<string, string | number>>) =>
  (await list(query)).items.map(({ postId }) => postId);
const posted = async (title: string, content: string, userId = board.target.newUserId()) =>
  (await board.posted({ title, content, userId })).postId;

describe('the search for posts', () => {
  it('finds each word anywhere in title or content, in any case, the newest first', async () => {
    const [a, b] = [uniqueWord(), uniqueWord()];
    const first = await posted(`About ${a}`, `and (${b.toUpperCase()}).`);
    const second = await posted('Other', `${b}\n\n${a}`);
    const third = await posted('Third', a);
    expect(await found({ q: `${b.toUpperCase()} ${a}` })).toEqual([second, first]);
    expect(await found({ q: a })).toEqual([third, second, first]);
    expect(await found({ q: b.slice(1, -1) })).toEqual([second, first]);
    expect(await found({ q: `${a} ${uniqueWord()}` })).toEqual([]);
  });

  it('takes %, _ and a backslash for themselves', async () => {
    const word = uniqueWord();
    const percent = await posted(word, '50% of it');
    const underscore = await posted(word, 'snake_case');
    const backslash = await posted(word, 'C:\\temp');
    expect(await found({ q: `${word} %` })).toEqual([percent]);
    expect(await found({ q: `${word} _` })).toEqual([underscore]);
    expect(await found({ q: `${word} \\` })).toEqual([backslash]);
    expect(await found({ q: `${word} 5_%` })).toEqual([]);
  });

  it('finds words with other letters, and parts of a text without spaces', async () => {
    const word = uniqueWord();
    const postId = await posted(word, 'Straße, 東京都に住んでいます。 ÉCOLE');
    for (const q of ['STRASSE', '京都に', 'école'])
      expect(await found({ q: `${word} ${q}` })).toEqual([postId]);
  });

  it('is narrowed by author and days, both ends included', async () => {
    const [word, userId] = [uniqueWord(), board.target.newUserId()];
    const own = await posted(word, 'Content', userId);
    const other = await posted(word, 'Content');
    const day = (await board.call('get', `/posts/${own}`)).body.createdAt as string;
    const at = (days: number) =>
      new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
    expect(await found({ q: word, userId })).toEqual([own]);
    expect(await found({ q: word, from: day, to: at(1) })).toEqual([other, own]);
    expect(await found({ q: word, to: at(-1) })).toEqual([]);
    expect(await found({ q: word, from: at(2) })).toEqual([]);
    expect(await found({ userId, from: day, to: at(1) })).toEqual([own]);
    expect(await found({ userId, to: at(-1) })).toEqual([]);
  });

  it('comes in pages, with a total', async () => {
    const word = uniqueWord();
    const ids = [];
    for (let number = 0; number < 5; number += 1) ids.push(await posted(word, 'Content'));
    ids.reverse();
    expect(await list({ q: word, size: 2, page: 2 })).toMatchObject({
      items: [{ postId: ids[2] }, { postId: ids[3] }],
      totalItems: 5,
    });
    expect(await list({ q: word, size: 2, page: 9 })).toMatchObject({ items: [], totalItems: 5 });
  });

  it('shows a change or a deletion at once', async () => {
    const [word, before, after] = [uniqueWord(), uniqueWord(), uniqueWord()];
    const postId = await posted(word, before);
    const token = board.target.admin;
    const change = { token, body: { content: after } };
    succeeded(await board.call('patch', `/posts/${postId}`, change), 200);
    expect([await found({ q: before }), await found({ q: `${word} ${after}` })]).toEqual([
      [],
      [postId],
    ]);
    succeeded(await board.call('patch', `/posts/${postId}`, { token, body: { title: 'x' } }), 200);
    expect([await found({ q: word }), await found({ q: after })]).toEqual([[], [postId]]);
    succeeded(await board.call('delete', `/posts/${postId}`, { token }), 204);
    expect(await found({ q: after })).toEqual([]);
  });

  it('finds the first 1,000 different words of a long post', async () => {
    const word = uniqueWord();
    const words = [word, ...Array.from({ length: 3000 }, (_, number) => `n${number}`)];
    const postId = await posted('Long', words.join(' '));
    expect(await found({ q: `${word} n990` })).toEqual([postId]);
    expect(await found({ q: `${word} n1000` })).toEqual([]);
  });

  it('without words is the list, also with a blank q', async () => {
    const userId = board.target.newUserId();
    const postId = await posted('Title', 'Content', userId);
    expect(await found({ q: '', userId })).toEqual([postId]);
  });

  it('refuses invalid days, and a first day after the last', async () => {
    expectFaults(await board.call('get', '/posts?from=2026-02-30'), { from: 'INVALID_FORMAT' });
    expectFaults(await board.call('get', '/posts?from=2026-02-02&to=2026-02-01'), {
      from: 'CONFLICTING_FIELDS',
    });
  });
});
