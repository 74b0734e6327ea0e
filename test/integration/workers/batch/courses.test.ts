import type { Sequelize } from 'sequelize-typescript';
import { Course, CourseVideo, UserCourse } from '../../../../shared/courses/tables';
import { DeadLetter } from '../../../../shared/database/dead-letter-tables';
import { User } from '../../../../shared/identity/tables';
import {
  addVideo,
  admin,
  cancel,
  complete,
  completeVideo,
  deleteVideo,
  join,
  lecturer,
  register,
  subscribe,
  updateCourse,
  updateVideo,
} from '../../../support/models/courses/commands';
import { Rig } from './rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { eventTypes } from './rows';

/**
 * What a batch of course commands leaves in the database, and what the database itself does not let
 * anybody write.
 */

const LECTURER = 2 ** 41;

describe.each(DIALECTS)('courses on %s', (dialect) => {
  let database: Sequelize;
  let rig: Rig;
  let userId = LECTURER;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });
  beforeEach(() => {
    rig = new Rig({ database });
  });

  async function newCourse(capacity: number | null = null): Promise<number> {
    const given = register(lecturer(LECTURER), LECTURER, capacity, `Course ${dialect}`);
    await rig.process([given]);
    return rig.result(given)['courseId'] as number;
  }

  const newUser = () => (userId += 1);
  const countsOf = async (courseId: number) => {
    const { subscriberCount, videoCount } = await Course.findByPk(courseId, {
      rejectOnEmpty: true,
      raw: true,
    });
    return { subscriberCount, videoCount };
  };
  const titles = async (courseId: number) => {
    const rows = await CourseVideo.findAll({ where: { courseId }, order: ['position'], raw: true });
    return Array.from(rows, ({ position, title }) => `${position} ${title}`);
  };

  it('fills a course exactly in one batch, and once more in the next', async () => {
    const courseId = await newCourse(2);
    const first = [newUser(), newUser(), newUser()].map((id) => subscribe(courseId, id));
    await rig.process(first);
    expect(rig.endings(first)).toEqual(['created', 'created', 'COURSE_FULL']);
    const leaving = cancel(courseId, userId - 2);
    const next = [leaving, subscribe(courseId, newUser()), subscribe(courseId, newUser())];
    await rig.process(next);
    expect(rig.endings(next)).toEqual(['done', 'created', 'COURSE_FULL']);
    expect(await countsOf(courseId)).toMatchObject({ subscriberCount: 2 });
    expect(await UserCourse.count({ where: { courseId, status: 'in_progress' } })).toBe(2);
  });

  it('publishes 20 completions as one event, in one batch and in two', async () => {
    const courseId = await newCourse();
    const id = newUser();
    await rig.process([subscribe(courseId, id)]);
    const completions = Array.from({ length: 20 }, () => complete(courseId, id));
    await rig.process(completions.slice(0, 12));
    await rig.process(completions.slice(12));
    expect(rig.endings(completions)).toEqual(completions.map(() => 'done'));
    expect(new Set(completions.map((one) => JSON.stringify(rig.result(one)))).size).toBe(1);
    const told = await eventTypes(completions.map(({ commandId }) => commandId));
    expect([...told.values()].flat()).toEqual(['courses.subscription.completed']);
  });

  it('keeps one row of a subscription that is cancelled and renewed, in one batch and in several', async () => {
    const courseId = await newCourse();
    const id = newUser();
    const same = [subscribe(courseId, id), cancel(courseId, id), subscribe(courseId, id)];
    await rig.process(same);
    const later = [cancel(courseId, id), subscribe(courseId, id), complete(courseId, id)];
    await rig.process(later);
    expect(rig.endings([...same, ...later])).toEqual([
      'created',
      'done',
      'created',
      'done',
      'created',
      'done',
    ]);
    const rows = await UserCourse.findAll({ where: { courseId }, raw: true });
    expect(Array.from(rows, ({ status }) => status)).toEqual(['completed']);
    expect(rows[0]?.id).toBe(rig.result(same[0]!)['subscriptionId']);
  });

  it('puts videos between stored and new ones without gap or repeat', async () => {
    const courseId = await newCourse();
    const add = (title: string, position: number | null = null) =>
      addVideo(admin(LECTURER), courseId, position, title);
    await rig.process(['a', 'b', 'c', 'd', 'e'].map((title) => add(title)));
    await rig.process([add('x', 2), add('y', 1), add('z', 5), add('last'), add('w', 5)]);
    expect(await titles(courseId)).toEqual([
      '1 y',
      '2 a',
      '3 x',
      '4 b',
      '5 w',
      '6 z',
      '7 c',
      '8 d',
      '9 e',
      '10 last',
    ]);
    await rig.process([add('first', 1)]);
    expect((await titles(courseId)).at(0)).toBe('1 first');
    expect((await titles(courseId)).at(-1)).toBe('11 last');
    expect(await countsOf(courseId)).toMatchObject({ videoCount: 11 });
    expect(await DeadLetter.count()).toBe(0);
  });

  it('raises the versions of the course and the user, also when a command is delivered again', async () => {
    const courseId = await newCourse();
    const id = newUser();
    const given = subscribe(courseId, id);
    const subjects = [
      'courses:courses',
      `courses:course:${courseId}`,
      `courses:user-courses:${id}`,
    ];
    await rig.process([given]);
    expect(rig.of('bump').at(-1)?.subjects).toEqual(subjects);
    await rig.process([given]);
    expect(rig.of('bump').at(-1)?.subjects).toEqual(subjects);
    expect(rig.endings([given])).toEqual(['created']);
    expect(await countsOf(courseId)).toMatchObject({ subscriberCount: 1 });
  });

  it('raises the version of the list of a user who gets a freed seat, also when the command is delivered again', async () => {
    const courseId = await newCourse(1);
    const [holder, waiting] = [newUser(), newUser()];
    await rig.process([subscribe(courseId, holder), join(courseId, waiting)]);
    const given = cancel(courseId, holder);
    for (const times of [1, 2]) {
      await rig.process([given]);
      expect(rig.of('bump').length).toBeGreaterThanOrEqual(times);
      expect(rig.of('bump').at(-1)?.subjects).toEqual(
        expect.arrayContaining([holder, waiting].map((id) => `courses:user-courses:${id}`)),
      );
    }
    expect(await countsOf(courseId)).toMatchObject({ subscriberCount: 1 });
  });

  it('raises the versions of the lists of forty users who get seats at once, also when the command is delivered again', async () => {
    const courseId = await newCourse(1);
    const waiting = Array.from({ length: 40 }, newUser);
    await rig.process([subscribe(courseId, newUser())]);
    await rig.process(waiting.map((id) => join(courseId, id)));
    const given = updateCourse(admin(), courseId, { capacity: 41 });
    for (const times of [1, 2]) {
      await rig.process([given]);
      expect(rig.of('bump').length).toBeGreaterThanOrEqual(times);
      expect(rig.of('bump').at(-1)?.subjects).toEqual(
        expect.arrayContaining(waiting.map((id) => `courses:user-courses:${id}`)),
      );
    }
    expect(await countsOf(courseId)).toMatchObject({ subscriberCount: 41 });
    expect(await DeadLetter.count()).toBe(0);
  });

  it('moves, deletes and adds videos in one batch, with who has completed them', async () => {
    const courseId = await newCourse();
    const id = newUser();
    const boss = admin(LECTURER);
    const added = ['a', 'b', 'c', 'd'].map((title) => addVideo(boss, courseId, null, title));
    await rig.process([...added, subscribe(courseId, id)]);
    const ids = added.map((one) => rig.result(one)['videoId'] as number) as [
      number,
      number,
      number,
    ];
    await rig.process([completeVideo(courseId, id, ids[0]), completeVideo(courseId, id, ids[1])]);
    const last = completeVideo(courseId, id, ids[2]);
    await rig.process([
      deleteVideo(boss, courseId, ids[0]),
      addVideo(boss, courseId, 1, 'x'),
      updateVideo(boss, courseId, ids[2], { position: 1, title: 'C' }),
      last,
    ]);
    expect(await titles(courseId)).toEqual(['1 C', '2 x', '3 b', '4 d']);
    const progress = { completedVideos: 2, totalVideos: 4, percent: 50 };
    expect(rig.result(last)).toMatchObject({ progress });
    expect(await countsOf(courseId)).toMatchObject({ videoCount: 4 });
    expect(await DeadLetter.count()).toBe(0);
  });

  it('the database refuses a second subscription, one too many, and a position twice', async () => {
    const courseId = await newCourse(1);
    const id = newUser();
    await rig.process([subscribe(courseId, id), addVideo(admin(LECTURER), courseId)]);
    const now = new Date();
    const row = {
      userId: id,
      courseId,
      status: 'in_progress' as const,
      createdAt: now,
      modifiedAt: now,
      completedAt: null,
    };
    await expect(UserCourse.bulkCreate([{ id: 2 ** 45, ...row }])).rejects.toThrow();
    await expect(
      Course.update({ subscriberCount: 2 }, { where: { id: courseId } }),
    ).rejects.toThrow();
    const video = {
      courseId,
      title: 'x',
      url: 'https://video.test',
      durationSeconds: null,
      createdAt: now,
    };
    await expect(
      CourseVideo.bulkCreate([{ id: 2 ** 45, ...video, position: 1 }]),
    ).rejects.toThrow();
    await expect(
      CourseVideo.bulkCreate([{ id: 2 ** 45, ...video, position: 0 }]),
    ).rejects.toThrow();
  });

  // On SQLite a batch has the one writer's turn from its beginning to its end.
  if (dialect === 'sqlite') return;

  it('a subscription that another program has written meanwhile is refused, and does not become a dead letter', async () => {
    const courseId = await newCourse();
    const id = newUser();
    const now = new Date();
    rig.hooks.between = async () => {
      delete rig.hooks.between;
      await UserCourse.bulkCreate([
        {
          id: 2 ** 46,
          userId: id,
          courseId,
          status: 'in_progress',
          createdAt: now,
          modifiedAt: now,
          completedAt: null,
        },
      ]);
    };
    const given = subscribe(courseId, id, admin(LECTURER));
    await User.bulkCreate([
      {
        id,
        username: 'foreign',
        role: 'user',
        createdAt: now,
        loginName: null,
        passwordHash: null,
      },
    ]);
    await rig.process([given]);
    expect(rig.endings([given])).toEqual(['ALREADY_SUBSCRIBED']);
  });
});
