import type { CoursesCommand } from '../../shared/courses/commands';
import { Course as CourseTable, CourseVideo, UserCourse } from '../../shared/courses/tables';
import { coursesCacheKeys } from '../../shared/courses/views';
import { folded } from '../../shared/fields';
import type { Read } from '../batch/state-plan';
import { insert, instant, placeholders, tuplesIn, updateById } from '../batch/statements';
import type { Row, Statement } from '../batch/transaction';
import type { Course, CoursesState, Person, Subscription } from './state';
import type { Run } from './video-order';

/** Which rows a batch of course commands needs, and how its changes are written. */

const COURSES = `SELECT c.id, c.user_id, u.username, c.course_name, c.capacity, c.subscriber_count, c.video_count, c.created_at, c.modified_at
  FROM courses c JOIN \`user\` u ON u.id = c.user_id`;
const SUBSCRIPTIONS = `SELECT s.id, s.user_id, s.course_id, c.course_name, s.status, s.created_at, s.modified_at, s.completed_at
  FROM user_courses s JOIN courses c ON c.id = s.course_id`;

/**
 * Far above every position. Videos that move are put there first and from there to their places,
 * because the unique key is checked row by row, in an order that is the database's own.
 */
const PARKED = 2 ** 40;

function courseOf(row: Row): Course {
  return {
    id: Number(row.id),
    courseName: row.course_name as string,
    userId: Number(row.user_id),
    lecturerName: row.username as string,
    videoCount: Number(row.video_count),
    capacity: row.capacity === null ? null : Number(row.capacity),
    subscriberCount: Number(row.subscriber_count),
    createdAt: instant(row.created_at),
    modifiedAt: instant(row.modified_at),
  };
}

function subscriptionOf(row: Row): Subscription {
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    courseId: Number(row.course_id),
    courseName: row.course_name as string,
    status: row.status as Subscription['status'],
    createdAt: instant(row.created_at),
    modifiedAt: instant(row.modified_at),
    completedAt: row.completed_at === null ? null : instant(row.completed_at),
  };
}

const personOf = (row: Row): Person => ({
  id: Number(row.id),
  username: row.username as string,
  role: row.role as Person['role'],
  isErased: row.erased_at !== null,
});

/** What a batch asks for, gathered from its commands. */
function wantedBy(commands: readonly CoursesCommand[]) {
  const courses = new Set<number>();
  const users = new Set<number>();
  const pairs = new Map<string, readonly [userId: number, courseId: number]>();
  for (const { payload } of commands) {
    if ('courseId' in payload) courses.add(payload.courseId);
    if ('userId' in payload) users.add(payload.userId);
    if ('courseId' in payload && 'userId' in payload)
      pairs.set(`${payload.userId}:${payload.courseId}`, [payload.userId, payload.courseId]);
  }
  return { courses: [...courses], users: [...users], pairs: [...pairs.values()] };
}

/**
 * The reads for a batch. Users come after the pipeline has made the rows of its actors; they are
 * locked, so that nobody is erased before what they get is committed.
 */
export function coursesReads(
  commands: readonly CoursesCommand[],
  lockRows: boolean,
): Read<CoursesState>[] {
  const { courses, users, pairs } = wantedBy(commands);
  const reads: Read<CoursesState>[] = [];
  if (courses.length > 0) {
    reads.push({
      statement: {
        sql: `${COURSES} WHERE c.id IN (${placeholders(courses.length)})`,
        values: courses,
      },
      apply: (rows, state) => {
        state.load({ courses: rows.map(courseOf) });
      },
    });
  }
  if (users.length > 0) {
    reads.push({
      statement: {
        sql: `SELECT id, username, role, erased_at FROM \`user\` WHERE id IN (${placeholders(users.length)})${lockRows ? ' ORDER BY id LOCK IN SHARE MODE' : ''}`,
        values: users,
      },
      apply: (rows, state) => {
        state.load({ users: rows.map(personOf) });
      },
    });
  }
  if (pairs.length > 0) {
    reads.push({
      statement: {
        sql: `${SUBSCRIPTIONS} WHERE ${tuplesIn(UserCourse, ['s.user_id', 's.course_id'], pairs.length)}`,
        values: pairs.flat(),
      },
      apply: (rows, state) => {
        state.load({ subscriptions: rows.map(subscriptionOf) });
      },
    });
  }
  return reads;
}

const courseRow = (course: Course) => ({
  id: course.id,
  userId: course.userId,
  courseName: course.courseName,
  capacity: course.capacity,
  subscriberCount: course.subscriberCount,
  videoCount: course.videoCount,
  searchName: folded(course.courseName),
  createdAt: course.createdAt,
  modifiedAt: course.modifiedAt,
});

const subscriptionRow = ({
  id,
  userId,
  courseId,
  status,
  createdAt,
  modifiedAt,
  completedAt,
}: Subscription) => ({
  id,
  userId,
  courseId,
  status,
  createdAt,
  modifiedAt,
  completedAt,
});

/**
 * Moves the stored videos of a course to where its runs say; none when videos were only appended.
 */
function videoMoves(courseId: number, runs: readonly Run[]): Statement[] {
  const moved = runs.filter(({ shift }) => shift > 0);
  if (moved.length === 0) return [];
  const park = moved.map(({ from, to, shift }) => ({
    sql: 'UPDATE course_video SET `position` = `position` + ? WHERE course_id = ? AND `position` BETWEEN ? AND ?',
    values: [PARKED + shift, courseId, from, to],
  }));
  return [
    ...park,
    {
      sql: 'UPDATE course_video SET `position` = `position` - ? WHERE course_id = ? AND `position` > ?',
      values: [PARKED, courseId, PARKED],
    },
  ];
}

/** Writes of the evolved state. What frees a unique key comes before what may take it. */
export function coursesWrites(state: CoursesState): Statement[] {
  const { courses, videos, subscriptions } = state.pending();
  return [
    ...insert(CourseTable, courses.inserted.map(courseRow)),
    ...updateById(
      CourseTable,
      ['subscriberCount', 'videoCount', 'modifiedAt'],
      courses.updated.map(courseRow),
    ),
    ...[...videos.runs].flatMap(([courseId, runs]) => videoMoves(courseId, runs)),
    ...insert(CourseVideo, videos.inserted),
    ...updateById(
      UserCourse,
      ['status', 'modifiedAt', 'completedAt'],
      subscriptions.updated.map(subscriptionRow),
    ),
    ...insert(UserCourse, subscriptions.inserted.map(subscriptionRow)),
  ];
}

const subjectsOfCourses = (ids: readonly number[]): string[] =>
  ids.length === 0 ? [] : [coursesCacheKeys.courses, ...ids.map(coursesCacheKeys.course)];

/** Cache subjects whose views show something else now. */
export function coursesSubjects(state: CoursesState): string[] {
  const { courses, subscriptions } = state.pending();
  const users = new Set(
    [...subscriptions.inserted, ...subscriptions.updated].map(({ userId }) => userId),
  );
  return [
    ...subjectsOfCourses([...courses.inserted, ...courses.updated].map(({ id }) => id)),
    ...[...users].map(coursesCacheKeys.userCourses),
  ];
}

/**
 * Those of a command that was carried out earlier: all of the course that it names, or that it
 * made, and of its user's courses.
 */
export function coursesSubjectsOf(
  { type, payload }: CoursesCommand,
  result: string | null,
): string[] {
  if (type === 'courses.register-course')
    return subjectsOfCourses([(JSON.parse(result ?? '{}') as { courseId: number }).courseId]);
  return [
    ...subjectsOfCourses([payload.courseId]),
    ...('userId' in payload ? [coursesCacheKeys.userCourses(payload.userId)] : []),
  ];
}
