import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Sequelize } from 'sequelize-typescript';
import { Op } from 'sequelize';
import {
  Course,
  CourseVideo,
  CourseWait,
  UserCourse,
  VideoCompletion,
} from '../../../../shared/courses/tables';
import { User } from '../../../../shared/identity/tables';
import { PEOPLE } from '../../../support/models/courses/campus';
import { Reference } from '../../../support/models/courses/reference';
import type { NextIds } from '../../../support/models/courses/reference-campus';
import { courseCommand, courseStep, type CourseStep } from '../../../support/models/courses/steps';
import { batchesOf, carryOutRandom, DRAWING, SEQUENCES, SEQUENCES_MS } from './random-plan';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { millis, since } from './rows';

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

const sorted = (row: object) => Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));

async function assertRows(reference: Reference, first: NextIds): Promise<void> {
  const rows = await Course.findAll(since(first.course));
  const courses = Array.from(rows, (row) => ({
    ...{ id: row.id, courseName: row.courseName, userId: row.userId, capacity: row.capacity },
    ...{ subscriberCount: row.subscriberCount, videoCount: row.videoCount },
    ...{ waitingCount: row.waitingCount, status: row.status, isDeleted: row.deletedAt !== null },
    completesAutomatically: Boolean(row.completesAutomatically),
    ...{ createdAt: millis(row.createdAt), modifiedAt: millis(row.modifiedAt) },
  }));
  const expected = reference.courses.map(({ videos, line, createdAt, modifiedAt, ...course }) => ({
    ...{ ...course, subscriberCount: reference.placesTaken(course.id), videoCount: videos.length },
    ...{ waitingCount: line.length, createdAt: millis(createdAt), modifiedAt: millis(modifiedAt) },
  }));
  assert.deepStrictEqual(courses.map(sorted), expected.map(sorted));
  const videos = await CourseVideo.findAll({
    ...since(first.video),
    order: ['courseId', 'position'],
  });
  const places = reference.courses.flatMap(({ id, videos: ofCourse }) =>
    ofCourse.map((video, index) => [id, index + 1, video.id, video.title]),
  );
  assert.deepStrictEqual(
    Array.from(videos, ({ courseId, position, id, title }) => [courseId, position, id, title]),
    places,
  );
  const ofCourses = { where: { courseId: { [Op.gte]: first.course } }, raw: true as const };
  const completions = await VideoCompletion.findAll(ofCourses);
  assert.deepStrictEqual(
    Array.from(completions, ({ userId, videoId }) => `${userId} ${videoId}`).sort(),
    reference.courses
      .flatMap((course) => course.videos)
      .flatMap(({ id, completedBy }) => [...completedBy].map((userId) => `${userId} ${id}`))
      .sort(),
  );
  const waits = await CourseWait.findAll({ ...ofCourses, order: ['courseId', 'placeNo'] });
  assert.deepStrictEqual(
    Array.from(waits, ({ id, courseId, userId }) => [id, courseId, userId]),
    reference.courses.flatMap(({ id: courseId, line }) =>
      line.map(({ id, userId }) => [id, courseId, userId]),
    ),
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
    // Whoever waits has an id before those who subscribe meanwhile.
    reference.subscriptions.map(times).sort((a, b) => a.id - b.id),
  );
}

describe.each(DIALECTS)('random batches of courses on %s', (dialect) => {
  let database: Sequelize;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });

  it(
    `have the same results as their commands one by one, whatever is delivered twice (${SEQUENCES} sequences)`,
    async () => {
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
        DRAWING,
      );
    },
    SEQUENCES_MS,
  );
});
