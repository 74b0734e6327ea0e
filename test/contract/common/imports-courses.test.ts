import { services } from '../../../shared/services';
import { commands } from '../../../workers/ops/commands';
import { run } from '../../../workers/ops/run';
import { openCampus, type Campus, type Course } from '../../support/clients/courses';
import { Importer, jsonLines, NO_ROWS, written } from '../../support/clients/importer';
import { captured } from '../../support/service/ops';

/** `ops import-courses`, which registers rows through the API. */

let campus: Campus;
let importer: Importer;
beforeAll(async () => {
  campus = await openCampus();
  importer = new Importer(campus.target);
});

describe('an import of courses', () => {
  const coursesOf = (userId: number) => campus.allPages<Course>(`/courses?userId=${userId}`, 100);
  const videos = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      title: `Video ${index + 1}`,
      url: `https://video.example/${index + 1}`,
    }));
  const titlesOf = async (courseId: number) =>
    (await campus.videos(courseId)).map(({ position, title }) => `${position} ${title}`);

  it('registers the rows of a CSV file, and refuses bad ones with line, column and rule', async () => {
    const { userId } = await campus.knownReader('lecturer');
    const { userId: nobody } = await campus.knownReader();
    const rows = [
      'CourseName,userId,capacity',
      `Chess,${userId},5`,
      `Go,${userId},`,
      `Shogi,${userId},0`,
      `Checkers,${nobody},`,
      `Chess,${userId},`,
    ];
    const { counts, told, exitCode } = await importer.imported(
      'courses',
      await written('courses.csv', rows.join('\r\n')),
    );
    expect(counts).toEqual({ ...NO_ROWS, rows: 5, registered: 2, merged: 1, refused: 2 });
    expect(exitCode).toBe(1);
    expect(told).toMatch(/^line 4: refused: capacity must be at least 1, got 0$/m);
    expect(told).toMatch(
      /^line 5: refused: the service answers 400 LECTURER_REQUIRED \(userId must be a lecturer/m,
    );
    expect(told).toMatch(/^line 6: same lecturer and name as line 2$/m);
    expect(
      (await coursesOf(userId)).map(({ courseName, capacity }) => [courseName, capacity]).sort(),
    ).toEqual([
      ['Chess', 5],
      ['Go', null],
    ]);
  });

  it('makes no course or video twice when it is repeated, even after its keys have expired', async () => {
    const { userId } = await campus.knownReader('lecturer');
    const rows = Array.from({ length: 12 }, (_, index) => ({
      courseName: `Course ${index}`,
      userId,
      videos: videos(index),
    }));
    const file = await jsonLines(rows);
    expect(await importer.imported('courses', file)).toMatchObject({
      counts: { ...NO_ROWS, rows: 12, registered: 12 },
      exitCode: 0,
    });
    for (const token of [undefined, importer.laterAdmin()])
      expect(await importer.imported('courses', file, token)).toMatchObject({
        counts: { ...NO_ROWS, rows: 12, alreadyThere: 12 },
        exitCode: 0,
      });
    const courses = await coursesOf(userId);
    expect(courses.map(({ courseName, videoCount }) => [courseName, videoCount]).sort()).toEqual(
      rows.map((row) => [row.courseName, row.videos.length]).sort(),
    );
    const { courseId = 0 } = courses.find(({ videoCount }) => videoCount === 11) ?? {};
    expect(await titlesOf(courseId)).toEqual(
      videos(11).map(({ title }, index) => `${index + 1} ${title}`),
    );
  });

  it('makes no course or video twice when it runs twice at the same time', async () => {
    const { userId } = await campus.knownReader('lecturer');
    const file = await jsonLines(
      Array.from({ length: 10 }, (_, index) => ({
        courseName: `Course ${index}`,
        userId,
        videos: videos(4),
      })),
    );
    const { result } = await captured(() =>
      Promise.all([
        run(importer.argumentsOf('courses', file), commands, services),
        run(importer.argumentsOf('courses', file), commands, services),
      ]),
    );
    expect(result).toEqual([0, 0]);
    expect((await coursesOf(userId)).map(({ videoCount }) => videoCount)).toEqual(
      Array.from({ length: 10 }, () => 4),
    );
  });

  it('sets the status of its row, and whether the last video completes it', async () => {
    const { userId } = await campus.knownReader('lecturer');
    const rows = [
      'courseName,userId,status,completesAutomatically,videos',
      `Chess,${userId},archived,true,"[{""title"":""One"",""url"":""https://video.example/1""}]"`,
      `Go,${userId},,,`,
      `Shogi,${userId},shut,,`,
    ];
    const { counts, told } = await importer.imported(
      'courses',
      await written('c.csv', rows.join('\n')),
    );
    expect(counts).toEqual({ ...NO_ROWS, rows: 3, registered: 2, refused: 1 });
    expect(told).toMatch(/^line 4: refused: status must be one of /m);
    const shown = (await coursesOf(userId)).map(
      ({ courseName, status, completesAutomatically, videoCount }) =>
        [courseName, status, completesAutomatically, videoCount] as const,
    );
    expect(shown.sort()).toEqual([
      ['Chess', 'archived', true, 1],
      ['Go', 'open', false, 0],
    ]);
  });

  it('adds missing videos to an existing course, and changes nothing else of it', async () => {
    const lecturer = await campus.knownReader('lecturer');
    const { courseId, courseName } = await campus.registered({ capacity: 3 }, lecturer);
    for (const video of [
      videos(3)[0],
      { title: 'Own', url: 'https://video.example/own' },
      { ...videos(3)[1], durationSeconds: 60 },
    ])
      await campus.addedVideo(courseId, video);
    const file = await jsonLines([
      { courseName, userId: lecturer.userId, capacity: 9, videos: videos(4) },
    ]);
    const { counts, told } = await importer.imported('courses', file);
    expect(counts).toEqual({ ...NO_ROWS, rows: 1, alreadyThere: 1 });
    expect(told).toContain(
      `line 1: course ${courseId} was there and got 2 of 4 videos that it lacked`,
    );
    expect(await titlesOf(courseId)).toEqual([
      '1 Video 1',
      '2 Own',
      '3 Video 2',
      '4 Video 3',
      '5 Video 4',
    ]);
    expect(await campus.detail(courseId)).toMatchObject({ capacity: 3, videoCount: 5 });
  });
});
