import { QueryTypes, type QueryInterface } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { StartError } from '../config';
import * as pipeline from './migrations/0001-pipeline';
import * as lending from './migrations/0002-lending';
import * as posts from './migrations/0003-posts';
import * as courses from './migrations/0004-courses';
import * as events from './migrations/0005-events';
import * as deadLetters from './migrations/0007-dead-letters';
import * as holds from './migrations/0008-holds';
import * as partitionLayouts from './migrations/0009-partition-layouts';
import * as outcomeSubjects from './migrations/0010-outcome-subjects';
import * as search from './migrations/0011-search';
import * as searchOrders from './migrations/0012-search-orders';
import * as console from './migrations/0013-console';
import * as outboxRows from './migrations/0014-outbox-rows';
import * as keyCommands from './migrations/0016-key-commands';
import * as workerFault from './migrations/0017-worker-fault';
import * as usedImages from './migrations/0018-used-images';
import * as endedTokens from './migrations/0020-ended-tokens';
import * as accounts from './migrations/0021-accounts';
import * as audit from './migrations/0022-audit';
import * as loginLooks from './migrations/0024-login-looks';
import * as erasedPeople from './migrations/0025-erased-people';
import * as firstPasswords from './migrations/0026-first-passwords';
import * as courseStatus from './migrations/0027-course-status';
import * as waitlists from './migrations/0028-waitlists';
import * as bareWords from './migrations/0029-bare-words';
import * as eventCounts from './migrations/0036-event-counts';
import * as longSubjects from './migrations/0037-long-subjects';
import * as lendingPolicies from './migrations/0038-lending-policies';
import * as copyKinds from './migrations/0039-copy-kinds';
import * as barcodes from './migrations/0041-barcodes';
import * as reminders from './migrations/0042-reminders';
import * as tagNames from './migrations/0044-tag-names';
import * as postWords from './migrations/0045-post-words';
import * as notices from './migrations/0046-notices';
import * as webhooks from './migrations/0047-webhooks';
import * as leftToLater from './migrations/0051-left-to-later';
import * as operatorsWishes from './migrations/0052-operators-wishes';
import * as attempts from './migrations/0060-attempts';

export interface Migration {
  readonly name: string;
  readonly up: (query: QueryInterface) => Promise<void>;
}

/**
 * Every migration, oldest first. They are listed here, so that no stray file in a folder is run.
 */
const MIGRATIONS: readonly Migration[] = [
  { name: '0001-pipeline', up: pipeline.up },
  { name: '0002-lending', up: lending.up },
  { name: '0003-posts', up: posts.up },
  { name: '0004-courses', up: courses.up },
  { name: '0005-events', up: events.up },
  { name: '0007-dead-letters', up: deadLetters.up },
  { name: '0008-holds', up: holds.up },
  { name: '0009-partition-layouts', up: partitionLayouts.up },
  { name: '0010-outcome-subjects', up: outcomeSubjects.up },
  { name: '0011-search', up: search.up },
  { name: '0012-search-orders', up: searchOrders.up },
  { name: '0013-console', up: console.up },
  { name: '0014-outbox-rows', up: outboxRows.up },
  { name: '0016-key-commands', up: keyCommands.up },
  { name: '0017-worker-fault', up: workerFault.up },
  { name: '0018-used-images', up: usedImages.up },
  { name: '0020-ended-tokens', up: endedTokens.up },
  { name: '0021-accounts', up: accounts.up },
  { name: '0022-audit', up: audit.up },
  { name: '0024-login-looks', up: loginLooks.up },
  { name: '0025-erased-people', up: erasedPeople.up },
  { name: '0026-first-passwords', up: firstPasswords.up },
  { name: '0027-course-status', up: courseStatus.up },
  { name: '0028-waitlists', up: waitlists.up },
  { name: '0029-bare-words', up: bareWords.up },
  { name: '0036-event-counts', up: eventCounts.up },
  { name: '0037-long-subjects', up: longSubjects.up },
  { name: '0038-lending-policies', up: lendingPolicies.up },
  { name: '0039-copy-kinds', up: copyKinds.up },
  { name: '0041-barcodes', up: barcodes.up },
  { name: '0042-reminders', up: reminders.up },
  { name: '0044-tag-names', up: tagNames.up },
  { name: '0045-post-words', up: postWords.up },
  { name: '0046-notices', up: notices.up },
  { name: '0047-webhooks', up: webhooks.up },
  { name: '0051-left-to-later', up: leftToLater.up },
  { name: '0052-operators-wishes', up: operatorsWishes.up },
  { name: '0060-attempts', up: attempts.up },
];

/**
 * The ending of a migration's name that removes what the former release still reads. It runs one
 * release after the last program that reads it.
 */
const CONTRACTS = /-contract$/;

const allMigrations = (more: readonly Migration[]): readonly Migration[] => [
  ...MIGRATIONS,
  ...more,
];

/** Holds the names of the migrations that have run. */
const TABLE = 'migration';

async function umzug(database: Sequelize, more: readonly Migration[]) {
  // Loaded only where something is missing, because it takes an eighth of a start.
  const { SequelizeStorage, Umzug } = await import('umzug');
  return new Umzug({
    migrations: allMigrations(more).map(({ name, up }) => ({
      name,
      up: () => up(database.getQueryInterface()),
    })),
    storage: new SequelizeStorage({ sequelize: database, tableName: TABLE }),
    logger: undefined,
  });
}

/** Returns the names of all migrations that have run, including those of a later release. */
async function executed(database: Sequelize): Promise<readonly string[]> {
  if (!(await database.getQueryInterface().tableExists(TABLE))) return [];
  const rows = await database.query<{ name: string }>(`SELECT name FROM ${TABLE} ORDER BY name`, {
    type: QueryTypes.SELECT,
  });
  return rows.map(({ name }) => name);
}

/** How long to wait for another process that is migrating, in seconds. */
const LOCK_WAIT_S = 120;

/**
 * Brings the schema up to date and returns the names of the migrations that ran. It is safe to run
 * twice, or on several machines at once: a named lock of the database admits one process. SQLite
 * needs no lock, because one process uses the data folder.
 * @param more migrations of services, which run last.
 * @throws StartError when the schema is too new for this program.
 */
export async function migrate(
  database: Sequelize,
  more: readonly Migration[] = [],
): Promise<string[]> {
  const run = async () => {
    const done = await executed(database);
    const fault = faultOf(done, more);
    if (fault !== null) throw new StartError(`The schema is too new: ${fault}.`);
    if (missingIn(done, more).length === 0) return [];
    const ran = await (await umzug(database, more)).up();
    return ran.map(({ name }) => name);
  };
  if (database.getDialect() === 'sqlite') return run();
  // A lock belongs to a connection, so this one is held as long as the lock.
  const lock = await database.transaction();
  try {
    const [row] = (
      await database.query(`SELECT GET_LOCK('lendline.migrate', ${LOCK_WAIT_S}) AS got`, {
        transaction: lock,
        plain: false,
        raw: true,
      })
    )[0] as { got: number }[];
    if (row?.got !== 1)
      throw new Error(`another process has been migrating this database for ${LOCK_WAIT_S} s`);
    return await run();
  } finally {
    await database
      .query(`DO RELEASE_LOCK('lendline.migrate')`, { transaction: lock })
      .catch(() => undefined);
    await lock.rollback();
  }
}

function missingIn(done: readonly string[], more: readonly Migration[]): readonly Migration[] {
  const names = new Set(done);
  return allMigrations(more).filter(({ name }) => !names.has(name));
}

/** Returns the migrations that this program knows and the database lacks. */
export const missingMigrations = async (
  database: Sequelize,
  more: readonly Migration[] = [],
): Promise<readonly Migration[]> => missingIn(await executed(database), more);

/** Returns the names of the missing migrations. */
export async function pendingMigrations(
  database: Sequelize,
  more: readonly Migration[] = [],
): Promise<string[]> {
  return (await missingMigrations(database, more)).map(({ name }) => name);
}

/**
 * Returns why this program cannot work with later migrations, or null. Those that only add do no
 * harm.
 */
function faultOf(done: readonly string[], more: readonly Migration[]): string | null {
  const known = new Set(allMigrations(more).map(({ name }) => name));
  const contracted = done.filter((name) => !known.has(name) && CONTRACTS.test(name));
  return contracted.length === 0
    ? null
    : `a later release has taken away what this one reads (${contracted.join(', ')}). Start that release, or restore a backup from before`;
}

/** Returns why a schema is too new for this program, or null when it fits. */
export const faultOfNewSchema = async (
  database: Sequelize,
  more: readonly Migration[] = [],
): Promise<string | null> => faultOf(await executed(database), more);
