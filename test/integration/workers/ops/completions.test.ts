import { join } from 'node:path';
import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { connectDatabase } from '../../../../shared/database/connect';
import { sampleOf } from '../../../support/run/amount';
import { onCleanUp } from '../../../support/run/cleanup';
import { Campus, type Subscription } from '../../../support/clients/courses';
import {
  INSTALLATIONS,
  startService,
  type Installation,
} from '../../../support/service/start-service';
import { eventsIn } from '../../../support/servers/outbox';
import { outcomesOf } from '../../../support/clients/problems';

/** Completions of courses over HTTP, and what the database holds of them. */

function databaseOf({ env: { MYSQL_URL, DATA_DIR = '' } }: Installation): Sequelize {
  const database = connectDatabase({
    url: MYSQL_URL ?? join(DATA_DIR, 'lendline.sqlite'),
    poolMax: 1,
  });
  onCleanUp(() => database.close());
  return database;
}

describe.each(sampleOf(INSTALLATIONS, 'servers'))(
  '20 completions of one subscription at the same time (%s)',
  (name) => {
    it('are all 200 with one modifiedAt, and are told as one event', async () => {
      const installation = await startService({ on: name, apis: 2 });
      const campus = new Campus(installation.target);
      const { courseId } = await campus.registered();
      const reader = campus.newReader();
      await campus.subscribed(reader, courseId);
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => campus.complete(reader, courseId)),
      );
      expect(outcomesOf(responses)).toEqual({ 200: 20 });
      expect(new Set(responses.map(({ body }) => (body as Subscription).modifiedAt)).size).toBe(1);
      const rows = await databaseOf(installation).query<{ events: string }>(
        'SELECT events FROM outbox ORDER BY seq',
        { type: QueryTypes.SELECT },
      );
      const events = eventsIn(rows).filter(
        ({ aggregateId }) => aggregateId === `course:${courseId}`,
      );
      expect(events.map(({ type }) => type)).toEqual([
        'courses.course.created',
        'courses.subscription.created',
        'courses.subscription.completed',
      ]);
    });
  },
);
