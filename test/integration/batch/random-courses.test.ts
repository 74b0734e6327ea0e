import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Sequelize } from 'sequelize-typescript';
import { Course, CourseVideo, UserCourse } from '../../../shared/courses/tables';
import { User } from '../../../shared/identity/tables';
import { PEOPLE } from '../../unit/courses/campus';
import { Reference, type NextIds } from '../../unit/courses/reference';
import { courseCommand, courseStep, type CourseStep } from '../../unit/courses/steps';
import { batchesOf, carryOutRandom } from './random-plan';
import { DIALECTS, emptyDatabase } from './rig';
import { millis, since } from './rows';

/**
 * Sequences a dialect; each is committed in several batches, which on a server costs as many disk
 * flushes.
 */
const SEQUENCES = 80;
const ID_KINDS = ['course', 'video', 'subscription'] as const;

let worlds = 0;
/** People whom no other sequence knows; none of them sends a command before the table has them. */
async function newPeople(): Promise<typeof PEOPLE> {
  const number = (worlds += 1);
  const people = PEOPLE.map((person) => ({
    ...person,
    id: number * 10 + person.id,
    username: `user-${number * 10 + person.id}`,
  }));
  await User.bulkCreate(
    people.map((person) => ({
      ...person,
      createdAt: new Date(),
      loginName: null,
      passwordHash: null,
    })),
  );
  return people;
}

async function assertRows(reference: Reference, first: NextIds): Promise<void> {
  const courses = Array.from(
    await Course.findAll(since(first.course)),
    ({ id, courseName, userId, capacity, subscriberCount, videoCount, createdAt, modifiedAt }) => ({
      ...{ id, courseName, userId, capacity, subscriberCount, videoCount },
      ...{ createdAt: millis(createdAt), modifiedAt: millis(modifiedAt) },
    }),
  );
  const expected = reference.courses.map(({ videos, createdAt, modifiedAt, ...course }) => ({
    ...{ ...course, subscriberCount: reference.placesTaken(course.id), videoCount: videos.length },
    ...{ createdAt: millis(createdAt), modifiedAt: millis(modifiedAt) },
  }));
  assert.deepStrictEqual(courses, expected);
  const videos = await CourseVideo.findAll({
    ...since(first.video),
    order: ['courseId', 'position'],
  });
  const places = reference.courses.flatMap(({ id, videos: ids }) =>
    ids.map((videoId, index) => [id, index + 1, videoId]),
  );
  assert.deepStrictEqual(
    Array.from(videos, ({ courseId, position, id }) => [courseId, position, id]),
    places,
  );
  const times = <Row extends { createdAt: Date; modifiedAt: Date; completedAt: Date | null }>(
    row: Row,
  ) => ({
    ...row,
    ...{
      createdAt: millis(row.createdAt),
      modifiedAt: millis(row.modifiedAt),
      completedAt: millis(row.completedAt),
    },
  });
  assert.deepStrictEqual(
    Array.from(await UserCourse.findAll(since(first.subscription)), times),
    reference.subscriptions.map(times),
  );
}

describe.each(DIALECTS)('random batches of courses on %s', (dialect) => {
  let database: Sequelize;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });

  it(`come to the same as the commands one by one, whatever comes twice (${SEQUENCES} sequences)`, async () => {
    await fc.assert(
      fc.asyncProperty(batchesOf(courseStep), async (batches) => {
        const people = await newPeople();
        const modelFrom = (next: NextIds) => {
          const model = new Reference(people, next);
          return {
            reference: model,
            commandOf: (step: CourseStep) => courseCommand(step, people, model),
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
      { numRuns: SEQUENCES },
    );
  }, 240_000);
});
