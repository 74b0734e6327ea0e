import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { calls } from '../../../shared/calls';
import {
  faultOfNewSchema,
  pendingMigrations,
  type Migration,
} from '../../../shared/database/migrate';
import { COLLATION, SQL_MODE } from '../../../shared/database/session';
import { PendingCommand } from '../../../shared/database/tables';
import { fault, isAtLeast, ok, versionOf, warning, type Finding } from './finding';

/** A batch of commands is one packet, and a large one has some megabytes. */
const PACKET_MIN_BYTES = 16 * 1024 * 1024;
/** By how much the clock of this machine may differ from the database's, milliseconds. */
const CLOCK_MAX_MS = 1000;
/** Part of all connections that may be taken. */
const CONNECTIONS_MAX = 0.8;

interface Settings {
  readonly version: string;
  readonly flush: number;
  readonly binlog: number;
  readonly sync: number;
  readonly packet: number;
  readonly connections: number;
  readonly ms: string;
  readonly mode: string;
  readonly collation: string;
  readonly zone: string;
}

const SETTINGS = `SELECT VERSION() AS version, @@innodb_flush_log_at_trx_commit AS flush, @@log_bin AS binlog, @@sync_binlog AS sync,
  @@max_allowed_packet AS packet, @@max_connections AS connections, @@SESSION.sql_mode AS mode,
  @@collation_connection AS collation, @@SESSION.time_zone AS zone, UNIX_TIMESTAMP(NOW(3)) * 1000 AS ms`;

/** The settings that make a server refuse writes; MariaDB and MySQL have different ones. */
const READ_ONLY = `SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'super_read_only', 'innodb_read_only') AND Value = 'ON'`;

/**
 * Examines MySQL or MariaDB: version, whether it takes writes, durability of commits, clock, and
 * schema.
 */
export async function examineMysql(
  database: Sequelize,
  migrations: readonly Migration[],
  shown: string,
): Promise<Finding[]> {
  const asked = Date.now();
  const [settings] = await database.query<Settings>(SETTINGS, { type: QueryTypes.SELECT });
  const aheadMs = Number(settings?.ms) - (asked + Date.now()) / 2;
  const [threads] = await database.query<{ Value: string }>(
    `SHOW GLOBAL STATUS LIKE 'Threads_connected'`,
    { type: QueryTypes.SELECT },
  );
  if (!settings) throw new Error('MySQL reports nothing about itself');
  const readOnly = await database.query<{ Variable_name: string }>(READ_ONLY, {
    type: QueryTypes.SELECT,
  });
  const found = [
    version(settings, shown),
    writable(readOnly.map((row) => row.Variable_name)),
    session(settings),
    durability(settings),
    packet(settings),
    connections(settings, Number(threads?.Value)),
    clock(aheadMs),
  ];
  return [...found, await schemaOf(database, migrations), ...(await tablesOf(database))];
}

function version({ version: text }: Settings, shown: string): Finding {
  const known = text.includes('MariaDB')
    ? isAtLeast(versionOf(text), 10, 11)
    : isAtLeast(versionOf(text), 8, 4);
  const found = `${text} at ${shown}`;
  return known
    ? ok('MySQL', found)
    : warning(
        'MySQL',
        found,
        'Use MySQL 8.4, MariaDB 10.11 or later. Older versions are not tested.',
      );
}

function writable(readOnly: readonly string[]): Finding {
  if (readOnly.length === 0) return ok('writes', 'taken');
  return fault(
    'writes',
    `refused: ${readOnly.join(', ')} is on`,
    'Point MYSQL_URL at the primary, or turn the setting off.',
  );
}

/** Examines the settings of every connection, which a proxy may not pass on. */
function session({ mode, collation, zone }: Settings): Finding {
  const found = `sql_mode=${mode}, ${collation}, time zone ${zone}`;
  const asked =
    mode.split(',').sort().join() === [...SQL_MODE].sort().join() &&
    collation === COLLATION &&
    zone === '+00:00';
  return asked
    ? ok('session', found)
    : fault(
        'session',
        found,
        'Configure the proxy in front of MySQL to pass SET statements on, per connection.',
      );
}

function durability({ flush, binlog, sync }: Settings): Finding {
  const found = `innodb_flush_log_at_trx_commit=${flush}, ${binlog ? `sync_binlog=${sync}` : 'no binary log'}`;
  if (flush === 1 && (!binlog || sync === 1)) return ok('durability', found);
  return warning(
    'durability',
    found,
    'Set both to 1. Otherwise a power cut may lose answered commands.',
  );
}

function packet({ packet: bytes }: Settings): Finding {
  const found = `max_allowed_packet=${bytes}`;
  return bytes >= PACKET_MIN_BYTES
    ? ok('packets', found)
    : fault(
        'packets',
        found,
        `Set it to ${PACKET_MIN_BYTES} or more. A large batch does not fit otherwise.`,
      );
}

function connections({ connections: most }: Settings, taken: number): Finding {
  const found = `${taken} of ${most} are taken`;
  return taken <= most * CONNECTIONS_MAX
    ? ok('connections', found)
    : warning('connections', found, 'Raise max_connections, or lower API_MYSQL_CONNECTIONS.');
}

function clock(aheadMs: number): Finding {
  const found = `the database's is ${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  return Math.abs(aheadMs) <= CLOCK_MAX_MS
    ? ok('clock', found)
    : warning(
        'clock',
        found,
        'Set both clocks by NTP. An API judges tokens by the clock of its machine.',
      );
}

/** Examines the schema of either database. `migrations`: those of services. */
export async function schemaOf(
  database: Sequelize,
  migrations: readonly Migration[],
): Promise<Finding> {
  const missing = await pendingMigrations(database, migrations);
  const tooNew = await faultOfNewSchema(database, migrations);
  if (tooNew !== null) return fault('schema', 'too new for this release', `${tooNew}.`);
  return missing.length === 0
    ? ok('schema', 'up to date')
    : fault('schema', `${missing.join(', ')} missing`, `Run ${calls.migrate}.`);
}

/** Finds unreadable tables and columns of either database: missing ones, or missing rights. */
export async function tablesOf(database: Sequelize): Promise<Finding[]> {
  const unreadable: string[] = [];
  const sqlite = database.getDialect() === 'sqlite';
  // A command log is kept where no broker is.
  for (const model of Object.values(database.models).filter(
    ({ tableName }) => sqlite || tableName !== PendingCommand.tableName,
  )) {
    const columns = Object.values(model.getAttributes()).map(({ field }) => `\`${field ?? ''}\``);
    await database
      .query(`SELECT ${columns.join(', ')} FROM \`${model.tableName}\` LIMIT 0`)
      .catch((error: unknown) => {
        unreadable.push((error as Error).message);
      });
  }
  if (unreadable.length === 0) return [ok('tables', 'all can be read')];
  return unreadable.map((message) =>
    fault('tables', message, 'Restore the table, column or right. Commands that need it wait.'),
  );
}
