import { tellMissing, type Check } from './audit-check';

/** What the audit recounts of courses. */
export const courseChecks: readonly Check[] = [
  {
    sql: `SELECT c.id, c.subscriber_count, c.capacity, COALESCE(s.taken, 0) AS taken FROM courses c
      LEFT JOIN (SELECT course_id, COUNT(*) AS taken FROM user_courses WHERE status <> 'cancelled' GROUP BY course_id) s ON s.course_id = c.id
      WHERE c.subscriber_count <> COALESCE(s.taken, 0) OR COALESCE(s.taken, 0) > c.capacity`,
    tell: (of) =>
      `course ${of('id')}: it counts ${of('subscriber_count')} subscribers of ${of('capacity') || 'any number'}, its subscriptions are ${of('taken')}`,
  },
  {
    sql: `SELECT c.id, c.video_count, COALESCE(v.videos, 0) AS videos, v.places, v.first_place, v.last_place FROM courses c
      LEFT JOIN (SELECT course_id, COUNT(*) AS videos, COUNT(DISTINCT \`position\`) AS places, MIN(\`position\`) AS first_place, MAX(\`position\`) AS last_place
        FROM course_video GROUP BY course_id) v ON v.course_id = c.id
      WHERE c.video_count <> COALESCE(v.videos, 0) OR (v.videos > 0 AND (v.first_place <> 1 OR v.last_place <> v.videos OR v.places <> v.videos))`,
    tell: (of) =>
      `course ${of('id')}: it counts ${of('video_count')} videos and has ${of('videos')}, at ${of('places') || '0'} positions from ${of('first_place') || '0'} to ${of('last_place') || '0'}`,
  },
  {
    sql: 'SELECT user_id, course_id, COUNT(*) AS subscriptions FROM user_courses GROUP BY user_id, course_id HAVING COUNT(*) > 1',
    tell: (of) =>
      `user ${of('user_id')}: there are ${of('subscriptions')} subscriptions to course ${of('course_id')}`,
  },
  {
    sql: `SELECT s.id, CASE WHEN u.id IS NULL THEN s.user_id END AS user_id, CASE WHEN c.id IS NULL THEN s.course_id END AS course_id
      FROM user_courses s LEFT JOIN \`user\` u ON u.id = s.user_id LEFT JOIN courses c ON c.id = s.course_id WHERE u.id IS NULL OR c.id IS NULL`,
    tell: tellMissing('subscription', { user: 'user_id', course: 'course_id' }),
  },
  {
    sql: 'SELECT v.id, v.course_id FROM course_video v LEFT JOIN courses c ON c.id = v.course_id WHERE c.id IS NULL',
    tell: tellMissing('video', { course: 'course_id' }),
  },
  {
    sql: 'SELECT c.id, c.user_id FROM courses c LEFT JOIN `user` u ON u.id = c.user_id WHERE u.id IS NULL',
    tell: tellMissing('course', { lecturer: 'user_id' }),
  },
];
