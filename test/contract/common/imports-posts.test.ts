import { services } from '../../../shared/services';
import { commands } from '../../../workers/ops/commands';
import { run } from '../../../workers/ops/run';
import { succeeded, uniqueWord } from '../../support/clients/books';
import { Importer, jsonLines, NO_ROWS, written } from '../../support/clients/importer';
import { openBoard, type Board, type Post } from '../../support/clients/posts';
import { captured, ops } from '../../support/service/ops';

/** `ops import-posts`, which registers rows through the API. */

let board: Board;
let importer: Importer;
beforeAll(async () => {
  board = await openBoard();
  importer = new Importer(board.target);
});

describe('an import of posts', () => {
  const postsOf = (userId: number) => board.allPages<Post>(`/posts?userId=${userId}`, 100);

  it('registers the rows of a CSV file, and refuses bad ones with line, column and rule', async () => {
    const [userId, tag] = [board.target.newUserId(), uniqueWord()];
    const rows = [
      'title,content,tags,userId,shelf',
      `First,"two\nlines, and a comma","c++, ${tag}",${userId},x`,
      `,No title,,${userId},x`,
      `Second,Text,${'t'.repeat(51)},${userId},x`,
      `Third,Text,,${userId},x`,
      `Third,Text,,${userId},y`,
      'Short,Text',
    ];
    const { counts, told, exitCode } = await importer.imported(
      'posts',
      await written('posts.csv', rows.join('\n')),
    );
    expect(counts).toEqual({ ...NO_ROWS, rows: 6, registered: 2, merged: 1, refused: 3 });
    expect(exitCode).toBe(1);
    expect(told).toMatch(/^line 4: refused: title must not be empty$/m);
    expect(told).toMatch(/^line 5: refused: tags\[0\] must have at most 50 characters$/m);
    expect(told).toMatch(/^line 7: same post as line 6$/m);
    expect(told).toMatch(/^line 8: refused: it has 2 fields and the first line has 5$/m);
    const posts = await postsOf(userId);
    expect(posts.map(({ title, content, tags }) => [title, content, tags]).sort()).toEqual([
      ['First', 'two\nlines, and a comma', ['c++', tag]],
      ['Third', 'Text', []],
    ]);
    expect(await board.find(`c++,${tag}`)).toHaveLength(1);
  });

  it('makes nothing twice when it is repeated, even after its keys have expired', async () => {
    const userId = board.target.newUserId();
    const rows = Array.from({ length: 120 }, (_, index) => ({
      title: ` Post  ${index}`,
      content: 'Text\n',
      tags: ['Caf\u0065\u0301', 'b'],
      userId,
    }));
    const file = await jsonLines(rows);
    expect(await importer.imported('posts', file)).toMatchObject({
      counts: { ...NO_ROWS, rows: 120, registered: 120 },
      exitCode: 0,
    });
    for (const token of [undefined, importer.laterAdmin()]) {
      expect(await importer.imported('posts', file, token)).toMatchObject({
        counts: { ...NO_ROWS, rows: 120, alreadyThere: 120 },
        exitCode: 0,
      });
    }
    expect(await postsOf(userId)).toHaveLength(120);
  });

  it('makes nothing twice when it runs twice at the same time', async () => {
    const userId = board.target.newUserId();
    const file = await jsonLines(
      Array.from({ length: 80 }, (_, index) => ({
        title: `Post ${index}`,
        content: 'Text',
        userId,
      })),
    );
    const { result } = await captured(() =>
      Promise.all([
        run(importer.argumentsOf('posts', file), commands, services),
        run(importer.argumentsOf('posts', file), commands, services),
      ]),
    );
    expect(result).toEqual([0, 0]);
    expect(await postsOf(userId)).toHaveLength(80);
  });

  it('repeated soon, restores a deleted post but not a changed one', async () => {
    const userId = board.target.newUserId();
    const token = board.target.admin;
    const file = await jsonLines(
      ['kept', 'changed', 'deleted'].map((title) => ({ title, content: 'Text', userId })),
    );
    await importer.imported('posts', file);
    const [deleted, changed] = ['deleted', 'changed'].map(
      async (wanted) => (await postsOf(userId)).find(({ title }) => title === wanted)?.postId ?? 0,
    );
    succeeded(await board.call('delete', `/posts/${await deleted}`, { token }), 204);
    succeeded(
      await board.call('patch', `/posts/${await changed}`, { token, body: { title: 'Other' } }),
      200,
    );
    expect((await importer.imported('posts', file)).counts).toEqual({
      ...NO_ROWS,
      rows: 3,
      registered: 1,
      alreadyThere: 2,
    });
    expect((await postsOf(userId)).map(({ title }) => title).sort()).toEqual([
      'Other',
      'deleted',
      'kept',
    ]);
  });
});

it('an import ends with a sentence when the service refuses the token, and changes nothing', async () => {
  const { userId, token } = board.newReader();
  const file = await jsonLines([
    { title: 'Title', content: 'Text', userId: board.target.newUserId() },
  ]);
  const { exitCode, stderr } = await ops(...importer.argumentsOf('posts', file, token));
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('The service refuses the token (403 FORBIDDEN'),
  ]);
  const own = await jsonLines([{ title: 'Title', content: 'Text', userId }]);
  expect((await importer.imported('posts', own, token)).counts.registered).toBe(1);
});
