import { expectKeys, LIST_KEYS, uniqueWord } from '../../support/clients/books';
import { COURSE_KEYS, openCampus, type Campus, type Course } from '../../support/clients/courses';
import { expectFaults } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';

/** GET /courses */

let campus: Campus;
let word: string;
let lecturer: Reader;
let courses: Course[];

beforeAll(async () => {
  campus = await openCampus();
  word = uniqueWord();
  lecturer = campus.newLecturer();
  courses = [
    await campus.registered({ courseName: `b ${word} 100%_ÀB` }, lecturer),
    await campus.registered({ courseName: `C ${word} plain` }, lecturer),
    await campus.registered({ courseName: `a ${word} other` }),
  ];
  await campus.subscribed(campus.newReader(), courses[1]!.courseId);
});

const list = (query: string) => campus.call('get', `/courses?${query}`);
const named = async (query: string) =>
  ((await list(query)).body.items as Course[]).map(({ courseId }) =>
    courses.findIndex((course) => course.courseId === courseId),
  );

it('lists courses to anybody, the newest first, in the shape of every list', async () => {
  const { status, body, headers } = await list(`q=${word}`);
  expect([status, headers['x-total-count']]).toEqual([200, '3']);
  expectKeys(body, LIST_KEYS);
  expect(body).toMatchObject({ page: 1, size: 20, totalItems: 3, totalPages: 1 });
  for (const item of body.items as object[]) expectKeys(item, COURSE_KEYS);
  expect(body.items[2]).toEqual(courses[0]);
  expect(await named(`q=${word}`)).toEqual([2, 1, 0]);
  expect((await list('')).body.size).toBe(20);
});

it('finds any part of a name, whatever its case, with wildcards taken for themselves', async () => {
  expect(await named(`q=${word.toUpperCase()}%20PLAIN`)).toEqual([1]);
  expect(await named(`q=${encodeURIComponent(` ${word} 100%_àb `)}`)).toEqual([0]);
  expect(await named(`q=${encodeURIComponent(`${word}%`)}`)).toEqual([]);
  expect(await named(`q=${encodeURIComponent(`${word}_plain`)}`)).toEqual([]);
});

it('finds the courses of a lecturer, and wants all filters to hold', async () => {
  expect(await named(`userId=${lecturer.userId}`)).toEqual([1, 0]);
  expect(await named(`userId=${lecturer.userId}&q=plain`)).toEqual([1]);
  expect(await named(`userId=${campus.target.newUserId()}`)).toEqual([]);
  expect(await named(`userId=${lecturer.userId}&q=`)).toEqual([1, 0]);
});

it.each([
  ['courseName', [2, 0, 1]],
  ['-courseName', [1, 0, 2]],
  ['createdAt', [0, 1, 2]],
  ['-createdAt', [2, 1, 0]],
])('sorts by %s', async (sort, order) => {
  expect(await named(`q=${word}&sort=${sort}`)).toEqual(order);
});

it.each(['subscriberCount', '-subscriberCount'])(
  'sorts by %s, and by id where that is equal',
  async (sort) => {
    // Ids of different workers are not in the order of registration.
    const ascending = [...[0, 2].sort((a, b) => courses[a]!.courseId - courses[b]!.courseId), 1];
    expect(await named(`q=${word}&sort=${sort}`)).toEqual(
      sort.startsWith('-') ? ascending.reverse() : ascending,
    );
  },
);

it('pages without repeating or skipping', async () => {
  const items = await campus.allPages<Course>(`/courses?q=${word}&sort=courseName`, 2);
  expect(items.map(({ courseId }) => courseId)).toEqual(
    [2, 0, 1].map((index) => courses[index]!.courseId),
  );
  expect((await list(`q=${word}&page=9`)).body).toMatchObject({ items: [], totalItems: 3 });
});

it.each<[string, Record<string, string>]>([
  ['sort=userId', { sort: 'INVALID_VALUE' }],
  ['userId=x', { userId: 'INVALID_TYPE' }],
  ['page=0', { page: 'OUT_OF_RANGE' }],
  ['name=x', { name: 'UNKNOWN_PARAMETER' }],
  ['q=a&q=b', { q: 'REPEATED_PARAMETER' }],
])('answers 400 to %s', async (query, faults) => {
  expectFaults(await list(query), faults);
});
