import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Op } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { shownPosts, type StoredPost } from '../../../../shared/posts/shown-posts';
import { Post, PostTag, Tag } from '../../../../shared/posts/tables';
import { foldedTag } from '../../../../shared/posts/tag';
import { Reference, type NextIds } from '../../../support/models/posts/reference';
import {
  postCommand,
  postStep,
  type PostStep,
  type World,
} from '../../../support/models/posts/steps';
import { batchesOf, carryOutRandom, DRAWING, SEQUENCES, SEQUENCES_MS } from './random-plan';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { millis, since } from './rows';

const ID_KINDS = ['post', 'tag'] as const;
const SPELLINGS = [
  ['java', 'JAVA', 'Java'],
  ['c++', 'C++'],
  ['straße', 'STRASSE'],
  ['é', 'É'],
  ['e'],
];

let worlds = 0;
function newWorld(): World {
  const number = (worlds += 1);
  return {
    users: [number * 10 + 1, number * 10 + 2],
    spellings: SPELLINGS.map((list) => list.map((spelling) => `${spelling} ${number}`)),
  };
}

async function assertRows(reference: Reference, first: NextIds): Promise<void> {
  const rows = (await Post.findAll({ ...since(first.post), raw: true })) as StoredPost[];
  const shown = await shownPosts(rows);
  const posts = Array.from(rows, ({ id, userId, title, content, createdAt }, index) => ({
    ...{ id, userId, title, content, tags: shown[index]?.tags },
    createdAt: millis(new Date(createdAt)),
  }));
  assert.deepStrictEqual(
    posts,
    reference.posts.map(({ carried, ...post }) => ({
      ...post,
      tags: reference.spelled({ carried, ...post }),
      createdAt: millis(post.createdAt),
    })),
  );
  const tags = Array.from(
    await Tag.findAll(since(first.tag)),
    ({ id, name, folded, postCount, mergedInto, renamed }) => ({
      ...{ id, name, folded, postCount, mergedInto, renamed: Boolean(renamed) },
    }),
  );
  const expected = reference.tags.map((tag) => ({
    ...{ id: tag.id, name: tag.name, folded: foldedTag(tag.name) },
    ...{
      postCount: reference.postCount(tag.id),
      mergedInto: tag.mergedInto && reference.end(tag).id,
      renamed: tag.isFormer ?? false,
    },
  }));
  assert.deepStrictEqual(tags, expected);
  const links = await PostTag.findAll({
    where: { postId: { [Op.gte]: first.post } },
    order: ['postId', 'tagId'],
    raw: true,
  });
  const found = reference.posts.flatMap((post) =>
    reference.found(post).map((tagId) => [post.id, tagId, post.userId, millis(post.createdAt)]),
  );
  assert.deepStrictEqual(
    Array.from(links, ({ postId, tagId, userId, createdAt }) => [
      postId,
      tagId,
      userId,
      millis(createdAt),
    ]),
    found,
  );
}

describe.each(DIALECTS)('random batches of posts on %s', (dialect) => {
  let database: Sequelize;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });

  it(
    `have the same results as their commands one by one, whatever is delivered twice (${SEQUENCES} sequences)`,
    async () => {
      await fc.assert(
        fc.asyncProperty(batchesOf(postStep), async (batches) => {
          const world = newWorld();
          const modelFrom = (next: NextIds) => {
            const model = new Reference(world.spellings, next);
            return {
              reference: model,
              commandOf: (step: PostStep) => postCommand(step, world, model),
            };
          };
          const { reference, first } = await carryOutRandom({
            rig: { database },
            kinds: ID_KINDS,
            batches,
            modelFrom,
          });
          await assertRows(reference, first);
        }),
        DRAWING,
      );
    },
    SEQUENCES_MS,
  );
});
