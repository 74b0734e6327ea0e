import { pino } from 'pino';
import type { Sequelize } from 'sequelize-typescript';
import { AuditTrail } from '../../../../api/audit/trail';
import { auditRow } from '../../../../shared/audit/entry';
import { Audit } from '../../../../shared/audit/tables';
import { housekeeping } from '../../../../workers/jobs/housekeeping';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

/** How long entries of the audit stay, and how many the API writes whatever clients do. */

const DAY_MS = 24 * 3600 * 1000;

describe.each(DIALECTS)('the audit on %s', (dialect) => {
  let database: Sequelize;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });
  beforeEach(() => Audit.destroy({ where: {} }));

  it('keeps entries for the configured number of days', async () => {
    expect(database.getDialect()).toBe(dialect);
    const actor = { userId: 7, username: 'ada' };
    const now = new Date();
    const before = (ms: number) => ({
      at: new Date(now.getTime() - ms),
      actor,
      facts: {},
      target: null,
      address: null,
      requestId: null,
    });
    const rows = [
      { action: 'of.old', ...before(30 * DAY_MS + 1000) },
      { action: 'of.young', ...before(30 * DAY_MS - 1000) },
    ];
    await Audit.bulkCreate(rows.map(auditRow));
    await housekeeping(() => now, { eventDays: 7, auditDays: 30, noticeDays: 90 }).run();
    expect((await Audit.findAll()).map(({ action }) => action)).toEqual(['of.young']);
  });

  it('gathers like events into one entry, and takes a hundred entries at once from an attacker', async () => {
    const lines: string[] = [];
    const trail = new AuditTrail(
      () => new Date(),
      pino({ level: 'fatal' }, { write: (line: string) => lines.push(line) }),
    );
    const failure = (address: string) => ({
      action: 'identity.sign-in-failed' as const,
      actor: null,
      target: 'user:7',
      address,
      requestId: 'r',
    });
    for (let count = 0; count < 3; count += 1) trail.record(failure('192.0.2.1'));
    for (let count = 0; count < 3000; count += 1)
      trail.record(failure(`198.51.${count >> 8}.${count & 255}`));
    await trail.stop();
    const entries = await Audit.findAll({ order: ['id'] });
    expect(entries.length).toBe(100);
    expect(JSON.parse(entries[0]!.details)).toMatchObject({ count: 3 });
    expect(lines).toHaveLength(100);
  });
});
