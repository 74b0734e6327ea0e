import { CourseVideo, VideoCompletion } from '../../shared/courses/tables';
import type { Read } from '../batch/service/state-plan';
import { insert, placeholders, tuplesIn, updateById } from '../batch/sql/statements';
import type { Statement } from '../batch/sql/transaction';
import type { Wanted } from './needs';
import { completionOf, videoOf } from './rows';
import type { CoursesState } from './state';
import type { Run } from './video-order';
import { lineHeads } from './wait-store';

/** Reads and writes videos and completions of a batch. */

const COMPLETIONS =
  'SELECT v.user_id, v.course_id, v.video_id, v.completed_at FROM video_completion v';

/**
 * Far above every position. Moving videos are put there first and then at their places, because the
 * unique key is checked row by row, in the database's own order.
 */
const PARKED = 2 ** 40;

const applyCompletions: Read<CoursesState>['apply'] = (rows, state) => {
  state.load({ completions: rows.map(completionOf) });
};

export function videoReads(wanted: Wanted): Read<CoursesState>[] {
  const { lines } = wanted;
  const [videos, completed] = [[...wanted.videos], [...wanted.completed]];
  const [pairs, gone] = [[...wanted.subscriptions.values()], [...wanted.removedVideos]];
  const reads: Read<CoursesState>[] = [];
  if (videos.length > 0) {
    reads.push({
      statement: {
        sql: `SELECT id, course_id, title, url, \`position\`, duration_seconds, created_at FROM course_video WHERE id IN (${placeholders(videos.length)})`,
        values: videos,
      },
      apply: (rows, state) => {
        state.load({ videos: rows.map(videoOf) });
      },
    });
  }
  if (completed.length > 0 && pairs.length > 0) {
    const where = tuplesIn(VideoCompletion, ['v.user_id', 'v.course_id'], pairs.length);
    reads.push({
      statement: {
        sql: `${COMPLETIONS} WHERE ${where} AND v.video_id IN (${placeholders(completed.length)})`,
        values: [...pairs.flat(), ...completed],
      },
      apply: applyCompletions,
    });
  }
  // A user who gets a seat may have completed a video that is deleted.
  if (gone.length > 0 && lines.size > 0) {
    const { sql, values } = lineHeads(lines);
    reads.push({
      statement: {
        sql: `${COMPLETIONS} JOIN course_waitlist w ON w.course_id = v.course_id AND w.user_id = v.user_id JOIN (${sql}) h ON h.id = w.id WHERE v.video_id IN (${placeholders(gone.length)})`,
        values: [...values, ...gone],
      },
      apply: applyCompletions,
    });
  }
  return reads;
}

/** Moves the stored videos of a course as its runs say. */
function videoMoves(courseId: number, runs: readonly Run[]): Statement[] {
  const moved = runs.filter(({ shift }) => shift !== 0);
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

function removal(table: string, column: string, ids: readonly number[]): Statement[] {
  if (ids.length === 0) return [];
  return [
    { sql: `DELETE FROM ${table} WHERE ${column} IN (${placeholders(ids.length)})`, values: ids },
  ];
}

type Pending = ReturnType<CoursesState['pending']>;

/**
 * Returns the writes of videos. Writes that free a position, or refer to a deleted video, come
 * first.
 */
export function videoWrites(
  { inserted, updated, removed, runs }: Pending['videos'],
  completions: Pending['completions'],
): Statement[] {
  const undone = completions.deleted.map(({ courseId, userId, videoId }) => ({
    sql: 'DELETE FROM video_completion WHERE course_id = ? AND user_id = ? AND video_id = ?',
    values: [courseId, userId, videoId],
  }));
  return [
    ...undone,
    ...removal('video_completion', 'video_id', removed),
    ...removal('course_video', 'id', removed),
    ...[...runs].flatMap(([courseId, ofCourse]) => videoMoves(courseId, ofCourse)),
    ...updateById(CourseVideo, ['title', 'url', 'durationSeconds'], updated),
    ...insert(CourseVideo, inserted),
    ...insert(VideoCompletion, completions.inserted),
  ];
}
