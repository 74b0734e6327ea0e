import { courseKey, type CoursesCommand } from '../../shared/courses/commands';
import { Course as CourseTable, UserCourse } from '../../shared/courses/tables';
import { folded } from '../../shared/fields';
import type { EventCounts } from '../batch/service/event-counts';
import { gather } from '../batch/service/needs';
import type { Read } from '../batch/service/state-plan';
import { insert, placeholders, tuplesIn, updateById } from '../batch/sql/statements';
import type { Statement } from '../batch/sql/transaction';
import { coursesNeeds, Wanted } from './needs';
import { courseOf, personOf, subscriptionOf, SUBSCRIPTIONS } from './rows';
import type { Course, Subscription } from './changes';
import type { CoursesState } from './state';
import { videoReads, videoWrites } from './video-store';
import { waitReads, waitWrites } from './wait-store';

/** Reads and writes the rows of course commands. */

const COURSES = `SELECT c.id, c.user_id, u.username, c.course_name, c.capacity, c.subscriber_count, c.video_count, c.status, c.completes_automatically,
  c.waiting_count, c.event_count, c.created_at, c.modified_at, c.deleted_at FROM courses c JOIN \`user\` u ON u.id = c.user_id`;

/**
 * Returns the reads for a batch. Users are read after the pipeline has made the rows of its actors.
 * They are locked, so that nobody is erased before the commit.
 */
export function coursesReads(
  commands: readonly CoursesCommand[],
  lockRows: boolean,
): Read<CoursesState>[] {
  const wanted = gather(coursesNeeds, commands, new Wanted());
  const [courses, users, counts] = [[...wanted.courses], [...wanted.users], [...wanted.counts]];
  const pairs = [...wanted.subscriptions.values()];
  const reads: Read<CoursesState>[] = [];
  if (courses.length > 0) {
    reads.push({
      statement: {
        sql: `${COURSES} WHERE c.id IN (${placeholders(courses.length)})`,
        values: courses,
      },
      apply: (rows, state) => {
        state.load({ courses: rows.map(courseOf) });
        for (const row of rows)
          state.events.load(courseKey(Number(row.id)), Number(row.event_count));
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
  if (counts.length > 0) {
    reads.push({
      statement: {
        sql: `SELECT course_id, COUNT(*) AS taken FROM user_courses WHERE course_id IN (${placeholders(counts.length)}) AND status = 'in_progress' GROUP BY course_id`,
        values: counts,
      },
      apply: (rows, state) => {
        for (const row of rows) state.loadInProgress(Number(row.course_id), Number(row.taken));
      },
    });
  }
  return [...reads, ...videoReads(wanted), ...waitReads(wanted, lockRows)];
}

const courseRow = (course: Course, events: EventCounts) => ({
  id: course.id,
  userId: course.userId,
  courseName: course.courseName,
  capacity: course.capacity,
  subscriberCount: course.subscriberCount,
  videoCount: course.videoCount,
  status: course.status,
  completesAutomatically: course.completesAutomatically ? 1 : 0,
  waitingCount: course.waitingCount,
  eventCount: events.of(courseKey(course.id)),
  searchName: folded(course.courseName),
  createdAt: course.createdAt,
  modifiedAt: course.modifiedAt,
  deletedAt: course.deletedAt,
});

const COUNTS = [
  'subscriberCount',
  'videoCount',
  'waitingCount',
  'eventCount',
  'modifiedAt',
] as const;
const ATTRIBUTES = [
  'courseName',
  'searchName',
  'capacity',
  'status',
  'completesAutomatically',
  'deletedAt',
] as const;

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

/** Returns the writes of the new state. Writes that free a unique key come first. */
export function coursesWrites(state: CoursesState): Statement[] {
  const { courses, videos, completions, subscriptions, waits } = state.pending();
  const rowOf = (course: Course) => courseRow(course, state.events);
  return [
    ...insert(CourseTable, courses.inserted.map(rowOf)),
    ...updateById(CourseTable, COUNTS, courses.counted.map(rowOf)),
    ...updateById(CourseTable, [...COUNTS, ...ATTRIBUTES], courses.described.map(rowOf)),
    ...videoWrites(videos, completions),
    ...updateById(
      UserCourse,
      ['status', 'modifiedAt', 'completedAt'],
      subscriptions.updated.map(subscriptionRow),
    ),
    ...insert(UserCourse, subscriptions.inserted.map(subscriptionRow)),
    ...waitWrites(waits),
  ];
}
