import { up as events } from '../../../../shared/database/migrations/0005-events';
import { up as outboxRows } from '../../../../shared/database/migrations/0014-outbox-rows';
import { Outbox } from '../../../../shared/database/tables';
import { eventsIn } from '../../../support/servers/outbox';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

/** The outbox had a row for each event before it had one for several. */

const NOW = '2026-01-02 03:04:05.678';

it.each(DIALECTS)(
  'takes the events that wait over, and can be run again wherever it stopped (%s)',
  async (dialect) => {
    const database = await emptyDatabase(dialect);
    const query = database.getQueryInterface();
    await query.dropTable('outbox');
    await events(query);
    const insert =
      'INSERT INTO outbox (event_id, type, aggregate_id, command_id, data, occurred_at, relayed_at) VALUES (?, ?, ?, ?, ?, ?, ?)';
    const add = (id: string, relayedAt: string | null) =>
      database.query(insert, {
        replacements: [
          id,
          'posts.post.created',
          'post:7',
          'c',
          '{"title":"a \\"b\\"\\n"}',
          NOW,
          relayedAt,
        ],
      });
    await add('told', NOW);
    for (const id of ['first', 'second', 'third']) await add(id, null);
    // Dies when it has renamed the table, when it has copied some events, and when it has copied
    // all.
    for (const step of ['renameTable', 'bulkInsert', 'dropTable'] as const) {
      const real = query[step].bind(query) as (...given: unknown[]) => Promise<object>;
      jest
        .spyOn(query, step)
        .mockImplementationOnce(async (...given: unknown[]): Promise<never> => {
          if (step !== 'dropTable') await real(...given);
          throw new Error('killed');
        });
      await expect(outboxRows(query)).rejects.toThrow('killed');
    }
    await outboxRows(query);
    const rows = await Outbox.findAll({ order: ['seq'], raw: true });
    expect(eventsIn(rows)).toEqual(
      ['first', 'second', 'third'].map((eventId) => ({
        eventId,
        type: 'posts.post.created',
        occurredAt: '2026-01-02T03:04:05.678Z',
        aggregateId: 'post:7',
        commandId: 'c',
        data: { title: 'a "b"\n' },
      })),
    );
    expect(await query.tableExists('outbox_0005')).toBe(false);
    await outboxRows(query);
    expect(await Outbox.count()).toBe(3);
  },
);
