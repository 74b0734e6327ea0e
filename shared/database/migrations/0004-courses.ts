import type { QueryInterface } from 'sequelize';
import { createTable, dialectOf, seedIds } from './dialect';

/**
 * Creates the tables of course subscriptions. The queue makes the rules cheap, and unique keys and
 * checks enforce them: one subscription per user and course, never above the capacity, no position
 * twice.
 */
export async function up(query: QueryInterface): Promise<void> {
  await createCourses(query);
  await createVideos(query);
  await createSubscriptions(query);
  await seedIds(query, ['course', 'video', 'subscription']);
}

async function createCourses(query: QueryInterface): Promise<void> {
  const { id, instant, text } = dialectOf(query);
  await createTable(query, {
    name: 'courses',
    columns: [
      `id ${id}`,
      'user_id BIGINT NOT NULL',
      `course_name ${text(255)} NOT NULL`,
      'capacity BIGINT NULL',
      'subscriber_count BIGINT NOT NULL DEFAULT 0',
      'video_count BIGINT NOT NULL DEFAULT 0',
      `search_name ${text(512)} NOT NULL`,
      `created_at ${instant} NOT NULL`,
      `modified_at ${instant} NOT NULL`,
      'CONSTRAINT courses_capacity CHECK (capacity IS NULL OR (capacity >= 1 AND subscriber_count <= capacity))',
      'CONSTRAINT courses_counts CHECK (subscriber_count >= 0 AND video_count >= 0)',
      'CONSTRAINT courses_lecturer FOREIGN KEY (user_id) REFERENCES `user` (id)',
    ],
    index: {
      courses_user: 'user_id',
      courses_created_at: 'created_at, id',
      courses_search_name: 'search_name',
      courses_subscriber_count: 'subscriber_count, id',
    },
  });
}

async function createVideos(query: QueryInterface): Promise<void> {
  const { id, instant, text } = dialectOf(query);
  await createTable(query, {
    name: 'course_video',
    columns: [
      `id ${id}`,
      'course_id BIGINT NOT NULL',
      `title ${text(255)} NOT NULL`,
      `url ${text(2048)} NOT NULL`,
      '`position` BIGINT NOT NULL',
      'duration_seconds INTEGER NULL',
      `created_at ${instant} NOT NULL`,
      'CONSTRAINT course_video_position CHECK (`position` >= 1)',
      'CONSTRAINT course_video_course FOREIGN KEY (course_id) REFERENCES courses (id)',
    ],
    unique: { course_video_place: 'course_id, `position`' },
  });
}

async function createSubscriptions(query: QueryInterface): Promise<void> {
  const { id, instant, ascii } = dialectOf(query);
  await createTable(query, {
    name: 'user_courses',
    columns: [
      `id ${id}`,
      'user_id BIGINT NOT NULL',
      'course_id BIGINT NOT NULL',
      `status ${ascii(255)} NOT NULL`,
      `created_at ${instant} NOT NULL`,
      `modified_at ${instant} NOT NULL`,
      `completed_at ${instant} NULL`,
      `CONSTRAINT user_courses_status CHECK (status IN ('in_progress', 'completed', 'cancelled'))`,
      `CONSTRAINT user_courses_completed CHECK ((status = 'completed') = (completed_at IS NOT NULL))`,
      'CONSTRAINT user_courses_user FOREIGN KEY (user_id) REFERENCES `user` (id)',
      'CONSTRAINT user_courses_course FOREIGN KEY (course_id) REFERENCES courses (id)',
    ],
    unique: { user_courses_once: 'user_id, course_id' },
    index: {
      user_courses_course: 'course_id, status',
      user_courses_created_at: 'user_id, created_at, id',
    },
  });
}
