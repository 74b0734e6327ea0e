import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { PostsCommand } from '../../../../shared/posts/commands';
import { PostTag, Tag } from '../../../../shared/posts/tables';
import { foldedTag } from '../../../../shared/posts/tag';
import {
  create,
  merge,
  remove,
  removeTag,
  rename,
  update,
} from '../../../support/models/posts/board';
import { Rig } from './rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

/**
 * Tags are shared between partitions: here another worker commits between the two round trips of a
 * batch.
 */

/**
 * What is wrong with the counts: tags whose number is not that of their posts, and merged ones that
 * still have some.
 */
const disagreements = (database: Sequelize) =>
  database.query(
    `SELECT t.id, t.post_count, COUNT(l.post_id) AS links FROM tag t LEFT JOIN post_tag l ON l.tag_id = t.id
     GROUP BY t.id, t.post_count, t.merged_into HAVING t.post_count <> COUNT(l.post_id) OR (t.merged_into IS NOT NULL AND COUNT(l.post_id) > 0)`,
    { type: QueryTypes.SELECT },
  );

let names = 0;
const newName = (): string => `Tag ${(names += 1)}`;
const tagOf = (name: string) =>
  Tag.findOne({ where: { folded: foldedTag(name) }, raw: true, rejectOnEmpty: true });
const postsOf = async (name: string) =>
  (
    await PostTag.findAll({
      where: { tagId: (await tagOf(name)).id },
      order: ['postId'],
      raw: true,
    })
  ).map(({ postId }) => postId);

async function made(rig: Rig, tags: readonly string[]): Promise<number> {
  const command = create(tags);
  await rig.process([command]);
  return rig.result(command).postId ?? 0;
}

describe('on MySQL, another worker', () => {
  let database: Sequelize;
  let rig: Rig;
  let other: Rig;
  let tries: number;
  beforeAll(async () => {
    database = await emptyDatabase('mysql');
  });
  beforeEach(() => {
    rig = new Rig({ database });
    other = new Rig({ database });
    tries = 0;
  });
  afterEach(async () => {
    expect(await disagreements(database)).toEqual([]);
  });

  /** Between reading and writing of the first try, the other worker carries its commands out. */
  async function overtaken(
    commands: readonly PostsCommand[],
    by: readonly PostsCommand[],
  ): Promise<void> {
    rig.hooks.between = async () => {
      // Another partition than that of the batch, or it would be fenced out.
      if ((tries += 1) === 1)
        await other.process(by.map((command) => ({ ...command, key: 'another' })));
    };
    await rig.process(commands);
  }

  it('that makes the same new tag first makes the batch decide again, and both posts have it', async () => {
    const name = newName();
    const [first, second] = [create([name]), create([name.toUpperCase(), newName()])];
    await overtaken([second], [first]);
    expect(tries).toBe(2);
    expect(await postsOf(name)).toEqual(
      [rig.result(second).postId, other.result(first).postId].sort((a, b) => Number(a) - Number(b)),
    );
    expect(await tagOf(name)).toMatchObject({ name, postCount: 2 });
  });

  it('that merges a tag makes a post with it, or a change to it, arrive at the target', async () => {
    const [from, into] = [newName(), newName()];
    const posts = [await made(rig, [from]), await made(rig, [into]), await made(rig, [])];
    const given = [
      create([from]),
      update(posts[1] ?? 0, { tags: [from] }),
      update(posts[2] ?? 0, { tags: [from, into] }),
    ];
    await overtaken(given, [merge(from, into)]);
    expect(rig.endings(given)).toEqual(['created', 'done', 'done']);
    expect(await postsOf(from)).toEqual([]);
    expect((await postsOf(into)).length).toBe(4);
  });

  it('that merges a tag which a change takes from one post and gives to another changes nothing of that', async () => {
    const [from, into] = [newName(), newName()];
    const [loser, winner] = [await made(rig, [from]), await made(rig, [])];
    await made(rig, [into]);
    await overtaken(
      [update(loser, { tags: [] }), update(winner, { tags: [from] })],
      [merge(from, into)],
    );
    expect(await postsOf(into)).toContain(winner);
    expect(await postsOf(into)).not.toContain(loser);
  });

  it('that renames a tag leaves a post with the former name, or a change to it, with the tag', async () => {
    const [from, to] = [newName(), newName()];
    const posts = [await made(rig, [from]), await made(rig, [])];
    const given = [create([from]), update(posts[1] ?? 0, { tags: [from] })];
    await overtaken(given, [rename(from, to)]);
    expect(rig.endings(given)).toEqual(['created', 'done']);
    expect((await postsOf(to)).length).toBe(3);
    expect(await tagOf(to)).toMatchObject({ postCount: 3 });
  });

  it('that gives a tag the name of a new one makes the batch decide again, and the post has that tag', async () => {
    const [from, to] = [newName(), newName()];
    await made(rig, [from]);
    const given = create([to]);
    await overtaken([given], [rename(from, to)]);
    expect(tries).toBe(2);
    expect((await postsOf(to)).length).toBe(2);
  });

  it('that creates a tag of the new name has the rename refused', async () => {
    const [from, to] = [newName(), newName()];
    await made(rig, [from]);
    const given = rename(from, to);
    await overtaken([given], [create([to])]);
    expect(rig.endings([given])).toEqual(['TAG_TAKEN']);
  });

  it('that deletes a tag makes a post with it have a new one of that name', async () => {
    const name = newName();
    const [loser, other] = [await made(rig, [name]), await made(rig, [])];
    const { id } = await tagOf(name);
    const given = [
      create([name]),
      update(other, { tags: [name] }),
      update(loser, { title: 'New' }),
    ];
    await overtaken(given, [removeTag(name)]);
    expect(rig.endings(given)).toEqual(['created', 'done', 'done']);
    expect((await tagOf(name)).id).not.toBe(id);
    expect(await postsOf(name)).toEqual([other, rig.result(given[0]!).postId]);
  });

  it('that merges the tags of a post which is deleted leaves no link', async () => {
    const [from, into] = [newName(), newName()];
    const postId = await made(rig, [from]);
    await made(rig, [into]);
    const given = remove(postId);
    await overtaken([given], [merge(from, into)]);
    expect(rig.endings([given])).toEqual(['done']);
    expect(await PostTag.count({ where: { postId } })).toBe(0);
  });
});

describe.each(DIALECTS)('a batch on %s', (dialect) => {
  let database: Sequelize;
  let rig: Rig;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
    rig = new Rig({ database });
  });

  it('with a merge among others is carried out in order', async () => {
    const [from, into] = [newName(), newName()];
    await made(rig, [from]);
    const given = [create([into]), merge(from, into), create([from]), create([from, into])].map(
      (command) => ({ ...command, key: 'same' }),
    );
    await rig.process(given);
    expect(rig.endings(given)).toEqual(['created', 'done', 'created', 'created']);
    expect(rig.result(given[1]!)).toMatchObject({ name: into, postCount: 2 });
    expect(await tagOf(into)).toMatchObject({ postCount: 4 });
    expect(await disagreements(database)).toEqual([]);
  });

  it('with more content than one packet may carry is carried out in parts', async () => {
    const content = '"'.repeat(100_000);
    const given = Array.from({ length: 60 }, () => {
      const command = create([]);
      return { ...command, key: 'large', payload: { ...command.payload, content } } as PostsCommand;
    });
    await rig.process(given);
    expect(new Set(rig.endings(given))).toEqual(new Set(['created']));
    const updates = given.map((command) => ({
      ...update(rig.result(command).postId ?? 0, { title: 'New' }),
      key: 'large',
    }));
    await rig.process(updates);
    expect(new Set(rig.endings(updates))).toEqual(new Set(['done']));
  });
});
