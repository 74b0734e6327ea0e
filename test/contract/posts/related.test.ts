import { succeeded, uniqueWord } from '../../support/clients/books';
import { openBoard, type Board, type Tag } from '../../support/clients/posts';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** GET /tags/{name} and GET /tags/{name}/related */

let board: Board;
beforeAll(async () => {
  board = await openBoard();
});

const path = (name: string, rest = '') => `/tags/${encodeURIComponent(name)}${rest}`;

describe('a tag', () => {
  it('is shown by any spelling, with the number of its posts', async () => {
    const name = `${uniqueWord()} C++/x`;
    await board.postedWith([name], [name]);
    const tag: Tag = succeeded(await board.call('get', path(name.toUpperCase())), 200);
    expect(tag).toEqual({ tagId: expect.any(Number), name, postCount: 2 });
    expect(succeeded(await board.call('get', path(` ${name} `)), 200)).toEqual(tag);
  });

  it('that was merged shows the one that it leads to', async () => {
    const [from, into] = [uniqueWord(), uniqueWord()];
    await board.postedWith([from], [into]);
    const merged = succeeded(await board.merge(from, into), 200);
    expect(succeeded(await board.call('get', path(from)), 200)).toEqual(merged);
  });

  it.each(['nothing', 'a,b', 'x'.repeat(51)])('%s that is not there is 404', async (name) => {
    expectProblem(await board.call('get', path(name)), 404, 'TAG_NOT_FOUND');
    expectProblem(await board.call('get', path(name, '/related')), 404, 'TAG_NOT_FOUND');
  });
});

describe('the tags beside a tag', () => {
  const related = async (name: string, query = '') =>
    succeeded(await board.call('get', path(name, `/related${query}`)), 200).items as (Tag & {
      together: number;
    })[];

  it('are those of its posts, the most frequent first, and not the tag itself', async () => {
    const [tag, often, once, other] = [uniqueWord(), uniqueWord(), uniqueWord(), uniqueWord()];
    await board.postedWith([tag, often], [tag, often, once], [tag], [often, other]);
    expect(await related(tag)).toEqual([
      { tagId: expect.any(Number), name: often, postCount: 3, together: 2 },
      { tagId: expect.any(Number), name: once, postCount: 1, together: 1 },
    ]);
    expect((await related(tag, '?size=1')).map(({ name }) => name)).toEqual([often]);
  });

  it('are none where it stands alone', async () => {
    const tag = uniqueWord();
    await board.postedWith([tag]);
    expect(await related(tag)).toEqual([]);
  });

  it('take a size from 1 on', async () => {
    const tag = uniqueWord();
    await board.postedWith([tag]);
    expectFaults(await board.call('get', path(tag, '/related?size=0')), { size: 'OUT_OF_RANGE' });
  });
});
