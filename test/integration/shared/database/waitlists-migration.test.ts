import { QueryTypes } from 'sequelize';
import * as courseStatus from '../../../../shared/database/migrations/0027-course-status';
import * as waitlists from '../../../../shared/database/migrations/0028-waitlists';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

/** What a program of the release before writes: it knows none of the new columns. */
const NOW = "'2026-11-21 12:00:00.000'";
const BEFORE = [
  `INSERT INTO user (id, username, role, created_at) VALUES (1, 'u', 'lecturer', ${NOW})`,
  `INSERT INTO courses (id, user_id, course_name, capacity, subscriber_count, video_count, search_name, created_at, modified_at) VALUES (1, 1, 'c', 1, 0, 0, 'c', ${NOW}, ${NOW})`,
  `UPDATE courses SET subscriber_count = 1, video_count = 1, modified_at = ${NOW} WHERE id = 1`,
];

it.each(DIALECTS)(
  'the migrations to waitlists can start over wherever they died, and the release before goes on, on %s',
  async (dialect) => {
    const database = await emptyDatabase(dialect);
    const query = database.getQueryInterface();
    const steps = [
      'DROP TABLE video_completion',
      'DROP TABLE course_waitlist',
      'ALTER TABLE courses DROP COLUMN deleted_at',
    ];
    for (const step of steps) {
      await database.query(step);
      for (let times = 0; times < 2; times += 1) {
        await courseStatus.up(query);
        await waitlists.up(query);
      }
    }
    for (const sql of BEFORE) await database.query(sql);
    const [course] = await database.query<object>(
      'SELECT status, completes_automatically AS automatic, waiting_count AS waiting, deleted_at FROM courses',
      { type: QueryTypes.SELECT },
    );
    expect({ ...course }).toEqual({ status: 'open', automatic: 0, waiting: 0, deleted_at: null });
    expect(
      await database.query('SELECT id FROM course_waitlist', { type: QueryTypes.SELECT }),
    ).toHaveLength(0);
  },
);
