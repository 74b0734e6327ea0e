import { cleanCourseRow, type COURSE_COLUMNS } from '../../../../workers/ops/imports/course-row';
import type { RawCells } from '../../../../workers/ops/imports/row-format';
import { refusalOf } from './refusal';

type CourseCells = RawCells<(typeof COURSE_COLUMNS)[number]>;
const PLAIN: CourseCells = { coursename: 'Chess', userid: '7' };
const VIDEO = { title: 'Opening', url: 'https://video.test/1' };

function clean(cells: CourseCells) {
  const warnings: string[] = [];
  return { ...cleanCourseRow({ ...PLAIN, ...cells }, warnings), warnings };
}

const reasonOf = (cells: CourseCells): string => refusalOf(() => clean(cells));

describe('a row of courses', () => {
  it('makes a course, from CSV as from JSON Lines', () => {
    const videos = [
      { ...VIDEO, durationSeconds: null },
      { title: 'End', url: 'https://video.test/2', durationSeconds: 90 },
    ];
    const course = {
      courseName: 'Chess',
      userId: 7,
      lecturer: '',
      capacity: 5,
      status: null,
      completesAutomatically: null,
      videos,
      warnings: [],
    };
    expect(clean({ coursename: ' Chess ', capacity: '5.0' })).toEqual({ ...course, videos: [] });
    expect(clean({ userid: 7, capacity: 5, videos: [VIDEO, videos[1]] })).toEqual(course);
  });

  it('has no limit of places and no videos when it does not say', () => {
    for (const empty of [undefined, null, ''])
      expect(clean({ capacity: empty, videos: empty })).toMatchObject({
        capacity: null,
        videos: [],
      });
  });

  it('names its lecturer by id, or else by name', () => {
    expect(clean({ userid: '', lecturer: ' Ann  Lee ' })).toMatchObject({
      userId: null,
      lecturer: 'Ann Lee',
    });
    expect(clean({ userid: '7', lecturer: 'Ann' })).toMatchObject({ userId: 7 });
    expect(reasonOf({ userid: '', lecturer: ' ' })).toBe('userId or lecturer is required');
  });

  it('leaves a video out that is in the list twice, with a warning', () => {
    const { videos, warnings } = clean({
      videos: [VIDEO, { ...VIDEO, url: 'https://video.test/2' }, { ...VIDEO, durationSeconds: 5 }],
    });
    expect(videos).toHaveLength(2);
    expect(warnings).toEqual(['videos[2] is the same as videos[0] and was left out']);
  });

  it.each<[CourseCells, RegExp]>([
    [{ coursename: '' }, /^courseName /],
    [{ coursename: 'x'.repeat(256) }, /^courseName .*255/],
    [{ userid: 'ann' }, /^userId must be a number/],
    [{ userid: 0 }, /^userId .*1/],
    [{ capacity: 0 }, /^capacity .*1/],
    [{ capacity: '-3' }, /^capacity must be a number/],
    [{ videos: 'one, two' }, /^videos must be an array/],
    [{ videos: [VIDEO, { title: 'No address' }] }, /^videos\[1\]\.url is required/],
    [
      { videos: [{ ...VIDEO, url: 'javascript:alert(1)' }] },
      /^videos\[0\]\.url must be a valid uri/,
    ],
    [{ videos: [{ ...VIDEO, position: 3 }] }, /^videos\[0\]\.position is not allowed/],
    [{ videos: [{ ...VIDEO, durationSeconds: -1 }] }, /^videos\[0\]\.durationSeconds /],
    [{ videos: [null] }, /^videos\[0\] /],
  ])('is refused with column and rule for %.60j', (cells, reason) => {
    expect(reasonOf(cells)).toMatch(reason);
  });
});
