import type { QueryInterface } from 'sequelize';
import { addIndexes, createTable, dialectOf } from './dialect';

/**
 * Creates waitlists and completed videos. The keys enforce what the queue of a course makes cheap:
 * nobody waits twice, and no place in a line is taken twice.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { id, instant } = dialectOf(query);
  await createTable(query, {
    name: 'course_waitlist',
    columns: [
      `id ${id}`,
      'course_id BIGINT NOT NULL',
      'user_id BIGINT NOT NULL',
      'place_no BIGINT NOT NULL',
      `created_at ${instant} NOT NULL`,
      'CONSTRAINT course_waitlist_course FOREIGN KEY (course_id) REFERENCES courses (id)',
      'CONSTRAINT course_waitlist_user FOREIGN KEY (user_id) REFERENCES `user` (id)',
    ],
    unique: {
      course_waitlist_once: 'user_id, course_id',
      course_waitlist_place: 'course_id, place_no',
    },
  });
  await createTable(query, {
    name: 'video_completion',
    columns: [
      'course_id BIGINT NOT NULL',
      'user_id BIGINT NOT NULL',
      'video_id BIGINT NOT NULL',
      `completed_at ${instant} NOT NULL`,
      'PRIMARY KEY (course_id, user_id, video_id)',
      'CONSTRAINT video_completion_video FOREIGN KEY (video_id) REFERENCES course_video (id)',
      'CONSTRAINT video_completion_user FOREIGN KEY (user_id) REFERENCES `user` (id)',
    ],
    index: {
      video_completion_video: 'video_id',
      video_completion_user: 'user_id, completed_at',
    },
    clustered: true,
  });
  await addIndexes(query, 'user_courses', {
    user_courses_roster: 'course_id, created_at, id',
  });
}
