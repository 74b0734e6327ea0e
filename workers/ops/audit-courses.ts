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
    sql: `SELECT c.id, c.waiting_count, c.deleted_at IS NOT NULL AS deleted, COALESCE(w.waiting, 0) AS waiting, COALESCE(w.places, 0) AS places FROM courses c
      LEFT JOIN (SELECT course_id, COUNT(*) AS waiting, COUNT(DISTINCT place_no) AS places FROM course_waitlist GROUP BY course_id) w ON w.course_id = c.id
      WHERE c.waiting_count <> COALESCE(w.waiting, 0) OR w.places <> w.waiting OR (w.waiting > 0 AND c.deleted_at IS NOT NULL)`,
    tell: (of) =>
      `${of('deleted') === '1' ? 'deleted ' : ''}course ${of('id')}: it counts ${of('waiting_count')} who wait, there are ${of('waiting')} at ${of('places')} places`,
  },
  {
    sql: `SELECT c.id, c.waiting_count, c.subscriber_count, c.capacity FROM courses c
      WHERE c.waiting_count > 0 AND c.status = 'open' AND c.deleted_at IS NULL AND (c.capacity IS NULL OR c.subscriber_count < c.capacity)`,
    tell: (of) =>
      `course ${of('id')}: ${of('waiting_count')} wait for it while ${of('subscriber_count')} of ${of('capacity') || 'any number of'} places are taken`,
  },
  {
    sql: `SELECT w.course_id, w.user_id FROM course_waitlist w JOIN user_courses s ON s.course_id = w.course_id AND s.user_id = w.user_id AND s.status <> 'cancelled'`,
    tell: (of) => `user ${of('user_id')}: they wait for course ${of('course_id')} and take it`,
  },
  {
    sql: `SELECT w.id, CASE WHEN u.id IS NULL THEN w.user_id END AS user_id, CASE WHEN c.id IS NULL THEN w.course_id END AS course_id
      FROM course_waitlist w LEFT JOIN \`user\` u ON u.id = w.user_id LEFT JOIN courses c ON c.id = w.course_id WHERE u.id IS NULL OR c.id IS NULL`,
    tell: tellMissing('wait', { user: 'user_id', course: 'course_id' }),
  },
  {
    sql: `SELECT p.user_id, p.course_id, p.video_id FROM video_completion p LEFT JOIN course_video v ON v.id = p.video_id AND v.course_id = p.course_id
      LEFT JOIN user_courses s ON s.user_id = p.user_id AND s.course_id = p.course_id WHERE v.id IS NULL OR s.id IS NULL`,
    tell: (of) =>
      `user ${of('user_id')}: they completed video ${of('video_id')} of course ${of('course_id')}, without the video or a subscription`,
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
