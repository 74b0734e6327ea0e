import { randomBytes } from 'node:crypto';
import type { QueryInterface } from 'sequelize';
import { createTable, dialectOf, seedIds } from './dialect';

/** Creates the tables of the command pipeline, and of the users who send commands. */
export async function up(query: QueryInterface): Promise<void> {
  await createSettings(query);
  await createCommandTables(query);
  await createWorkerTables(query);
  await createCommandLog(query);
  await createUsers(query);
  await seedIds(query, ['user']);
}

async function createSettings(query: QueryInterface): Promise<void> {
  const { sqlite, ascii } = dialectOf(query);
  await createTable(query, {
    name: 'setting',
    columns: [`name ${ascii(64)} NOT NULL PRIMARY KEY`, `value ${ascii(255)} NOT NULL`],
  });
  await query.sequelize.query(
    `INSERT ${sqlite ? 'OR ' : ''}IGNORE INTO setting (name, value) VALUES ('command_id_secret', ?)`,
    {
      replacements: [randomBytes(32).toString('hex')],
    },
  );
}

async function createCommandTables(query: QueryInterface): Promise<void> {
  const { instant, longText, text, ascii } = dialectOf(query);
  await createTable(query, {
    name: 'command_outcome',
    columns: [
      `command_id ${ascii(40)} NOT NULL PRIMARY KEY`,
      `type ${ascii(64)} NOT NULL`,
      'owner_id BIGINT NULL',
      `request_id ${ascii(128)} NOT NULL`,
      `ending ${longText} NOT NULL`,
      `created_at ${instant} NOT NULL`,
      `completed_at ${instant} NOT NULL`,
    ],
    index: { command_outcome_completed_at: 'completed_at' },
  });
  await createTable(query, {
    name: 'idempotency_key',
    columns: [
      `scope ${ascii(64)} NOT NULL PRIMARY KEY`,
      `command_id ${ascii(40)} NOT NULL`,
      `fingerprint ${ascii(64)} NOT NULL`,
      `created_at ${instant} NOT NULL`,
    ],
    index: { idempotency_key_created_at: 'created_at' },
  });
  await createTable(query, {
    name: 'outbox',
    columns: [
      `event_id ${ascii(48)} NOT NULL PRIMARY KEY`,
      `type ${ascii(64)} NOT NULL`,
      `aggregate_id ${text(128)} NOT NULL`,
      `command_id ${ascii(40)} NOT NULL`,
      `data ${longText} NOT NULL`,
      `occurred_at ${instant} NOT NULL`,
    ],
    index: { outbox_occurred_at: 'occurred_at' },
  });
}

async function createWorkerTables(query: QueryInterface): Promise<void> {
  const { instant, ascii } = dialectOf(query);
  await createTable(query, {
    name: 'partition_owner',
    columns: [
      `partition_name ${ascii(64)} NOT NULL PRIMARY KEY`,
      'epoch BIGINT NOT NULL',
      `owner ${ascii(64)} NOT NULL`,
      'batches BIGINT NOT NULL',
    ],
  });
  await createTable(query, {
    name: 'worker_heartbeat',
    columns: [`worker ${ascii(64)} NOT NULL PRIMARY KEY`, `beat_at ${instant} NOT NULL`],
  });
  await createTable(query, {
    name: 'id_block',
    columns: [`kind ${ascii(32)} NOT NULL PRIMARY KEY`, 'next_id BIGINT NOT NULL'],
  });
}

/**
 * Creates the command log: the embedded default has no broker, so commands and dead letters are
 * rows.
 */
async function createCommandLog(query: QueryInterface): Promise<void> {
  const { sqlite, id, instant, longText, ascii } = dialectOf(query);
  if (!sqlite) return;
  await createTable(query, {
    name: 'pending_command',
    columns: [`seq ${id}`, `partition_name ${ascii(64)} NOT NULL`, `envelope ${longText} NOT NULL`],
  });
  await createTable(query, {
    name: 'dead_letter',
    columns: [
      `command_id ${ascii(40)} NOT NULL PRIMARY KEY`,
      `partition_name ${ascii(64)} NOT NULL`,
      `envelope ${longText} NOT NULL`,
      'reason TEXT NOT NULL',
      `dead_at ${instant} NOT NULL`,
    ],
  });
}

async function createUsers(query: QueryInterface): Promise<void> {
  const { id, instant, text, ascii } = dialectOf(query);
  await createTable(query, {
    name: 'user',
    columns: [
      `id ${id}`,
      `username ${text(255)} NOT NULL`,
      `role ${ascii(16)} NOT NULL`,
      'is_admin BOOLEAN NOT NULL DEFAULT 0',
      `login_name ${text(512)} NULL`,
      `password_hash ${ascii(255)} NULL`,
      `created_at ${instant} NOT NULL`,
      `CONSTRAINT user_role CHECK (role IN ('user', 'lecturer'))`,
    ],
    unique: { user_login_name: 'login_name' },
  });
}
