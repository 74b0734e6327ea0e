import { connectDatabase } from '../../shared/database/connect';
import { addMissingOwners } from '../../shared/database/layouts';
import { migrate, missingMigrations } from '../../shared/database/migrate';
import { databaseIn, withoutDatabase } from '../../shared/database/servers';
import type { Services } from '../../shared/service';
import { withoutSecrets } from '../../shared/shown-url';
import { auditOperation } from './audited';
import { OpsError, type OpsCommand } from './command';
import { chooseInstallation, withDatabase, type Installation } from './installation';
import { planOf, planText } from './migration-plan';

/** MySQL's error numbers for a database that is not there, and for a user who may not make one. */
const ER_BAD_DB_ERROR = 1049;
const ACCESS_DENIED = new Set([1044, 1045, 1227]);

function errorNumber(error: unknown): number | undefined {
  const { errno, parent } = error as { errno?: number; parent?: { errno?: number } };
  return parent?.errno ?? errno;
}

/**
 * Makes the database that the URL names when it is not there; its tables set their own character
 * sets.
 * @throws OpsError when the user may not make it.
 */
async function ensureDatabase(url: string): Promise<void> {
  const name = databaseIn(url);
  if (!name) throw new OpsError('MYSQL_URL names no database: it must end in /<database>.');
  const there = connectDatabase({ url, poolMax: 1 });
  try {
    await there.authenticate();
    return;
  } catch (error) {
    if (errorNumber(error) !== ER_BAD_DB_ERROR) throw error;
  } finally {
    await there.close();
  }
  const admin = connectDatabase({ url: withoutDatabase(url), poolMax: 1 });
  try {
    await admin.query(
      `CREATE DATABASE IF NOT EXISTS \`${name.replaceAll('`', '``')}\` CHARACTER SET utf8mb4`,
    );
    process.stderr.write(`Created the database ${name}.\n`);
  } catch (error) {
    if (!ACCESS_DENIED.has(errorNumber(error) ?? 0)) throw error;
    throw new OpsError(
      `The database ${name} does not exist at ${withoutSecrets(url)} and this user may not create it: create it, or name another in MYSQL_URL.`,
    );
  } finally {
    await admin.close();
  }
}

async function printPlan(
  installation: Installation,
  services: Services,
  json: boolean,
): Promise<number> {
  const plan = await withDatabase(installation, async (database) =>
    planOf(database, await missingMigrations(database, services.migrations)),
  );
  process.stdout.write(`${json ? JSON.stringify({ plan }) : planText(plan)}\n`);
  return 0;
}

export const migrateServers: OpsCommand = {
  summary: 'Bring the schema at MYSQL_URL up to date',
  options: {
    'dry-run': { help: 'print what would be done, and how many rows the tables have' },
    json: { help: 'print the names of what ran, or the plan, as JSON' },
  },
  notes:
    'Works on the servers; the embedded default migrates itself when it starts. Creates a missing database when\nits account has the right. Safe to run twice, or from several machines at once.',
  async run(given, services) {
    const installation = chooseInstallation(true);
    if (given.flag('dry-run')) return printPlan(installation, services, given.flag('json'));
    await ensureDatabase(installation.databaseUrl);
    const ran = await withDatabase(installation, async (database) => {
      const names = await migrate(database, services.migrations);
      await addMissingOwners(database, services.names);
      if (names.length > 0) await auditOperation({ action: 'ops.migrate', facts: { ran: names } });
      return names;
    });
    const text =
      ran.length > 0 ? `Ran ${ran.join(', ')}.` : 'Nothing to do: the schema is up to date.';
    process.stdout.write(given.flag('json') ? `${JSON.stringify({ ran })}\n` : `${text}\n`);
    return 0;
  },
};
