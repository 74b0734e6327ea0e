import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { connectDatabase } from '../../../../shared/database/connect';
import { migrate, pendingMigrations } from '../../../../shared/database/migrate';
import { onCleanUp } from '../../../support/run/cleanup';
import { freshDatabase } from '../../../support/servers/fresh';
import { waitUntil } from '../../../support/wait';

describe('a migration on MySQL', () => {
  it('waits for another one that is under way, and then finds what is left to do', async () => {
    const url = await freshDatabase();
    const [database, other] = [connectDatabase({ url, poolMax: 2 }), await createConnection(url)];
    onCleanUp(async () => {
      await other.end();
      await database.close();
    });
    // The lock that a migration holds.
    await other.query(`SELECT GET_LOCK('lendline.migrate', 120)`);
    let ended = false;
    const migrated = migrate(database).finally(() => (ended = true));
    const waits = async () => {
      const [rows] = await other.query<RowDataPacket[]>(
        `SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND state = 'User lock'`,
      );
      return rows.length > 0;
    };
    await waitUntil('it waits, or has ended', 60_000, async () => ended || (await waits()));
    const [tables] = await other.query<RowDataPacket[]>('SHOW TABLES');
    expect({ ended, tables }).toEqual({ ended: false, tables: [] });
    await other.query(`DO RELEASE_LOCK('lendline.migrate')`);
    expect((await migrated).length).toBeGreaterThan(0);
    expect(await pendingMigrations(database)).toEqual([]);
  });
});
