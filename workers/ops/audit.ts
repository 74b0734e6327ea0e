import { QueryTypes, Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Column } from './audit-check';
import { auditChecks, outcomesSince } from './audit-checks';
import type { OpsCommand } from './command';
import { chooseInstallation, serversOption, withDatabase } from './installation';

/** Most differences that are printed one by one. */
const TOLD_MAX = 1000;

/** How many there are of everything that is audited, by what they are called in the summary. */
const COUNTS = {
  titles: 'SELECT COUNT(*) FROM book_info WHERE deleted_at IS NULL',
  copies: 'SELECT COUNT(*) FROM book WHERE deleted_at IS NULL',
  openBorrows: `SELECT COUNT(*) FROM book_user WHERE status = 'BORROWED'`,
  borrows: 'SELECT COUNT(*) FROM book_user',
  posts: 'SELECT COUNT(*) FROM post',
  tags: 'SELECT COUNT(*) FROM tag WHERE merged_into IS NULL',
  courses: 'SELECT COUNT(*) FROM courses WHERE deleted_at IS NULL',
  videos: 'SELECT COUNT(*) FROM course_video',
  subscriptions: 'SELECT COUNT(*) FROM user_courses',
  waitlisted: 'SELECT COUNT(*) FROM course_waitlist',
};

interface Findings {
  readonly disagreements: readonly string[];
  /** How many more differences there are. */
  readonly more: number;
  readonly counts: Readonly<Record<string, number>>;
}

type AuditRow = Readonly<Record<string, string | number | Date | null>>;
type Select = (sql: string, replacements?: Record<string, unknown>) => Promise<AuditRow[]>;

/** An instant that no borrow is younger than: with no outcome kept, no borrow must have one. */
const NEVER = new Date('9999-12-31T00:00:00Z');

/** Instants are Dates from MySQL and text from SQLite, sums are text from MySQL. */
function columnsOf(row: AuditRow): Column {
  return (name) => {
    const value = row[name] ?? '';
    return value instanceof Date ? value.toISOString() : String(value);
  };
}

async function since(select: Select): Promise<Date> {
  const [row] = await select('SELECT MIN(completed_at) AS oldest FROM command_outcome');
  const oldest = row?.['oldest'] ? new Date(row['oldest']) : null;
  return outcomesSince(oldest, new Date()) ?? NEVER;
}

async function findings(select: Select, dialect: 'sqlite' | 'mysql'): Promise<Findings> {
  const replacements = { since: await since(select) };
  const disagreements: string[] = [];
  let more = 0;
  for (const check of auditChecks(dialect)) {
    const { sql } = check;
    const room = TOLD_MAX - disagreements.length;
    const rows = await select(`${sql} LIMIT ${room + 1}`, replacements);
    disagreements.push(...rows.slice(0, room).map((row) => check.tell(columnsOf(row))));
    if (rows.length <= room) continue;
    const [counted] = await select(`SELECT COUNT(*) AS found FROM (${sql}) found`, replacements);
    more += Number(counted?.['found']) - room;
  }
  const columns = Object.entries(COUNTS).map(([name, sql]) => `(${sql}) AS ${name}`);
  const [counts = {}] = await select(`SELECT ${columns.join(', ')}`);
  return {
    disagreements,
    more,
    counts: Object.fromEntries(
      Object.entries(counts).map(([name, count]) => [name, Number(count)]),
    ),
  };
}

/**
 * Audits a database. Every statement sees it as it was at the first one, so changes of a running
 * service raise no false alarm.
 */
async function auditDatabase(database: Sequelize): Promise<Findings> {
  const sqlite = database.getDialect() === 'sqlite';
  // Deferred: the transaction of a reader keeps no writer out, in SQLite's WAL mode.
  const snapshot = sqlite
    ? { type: Transaction.TYPES.DEFERRED }
    : { isolationLevel: Transaction.ISOLATION_LEVELS.REPEATABLE_READ };
  return database.transaction(snapshot, async (transaction) => {
    if (sqlite) await database.query('PRAGMA query_only = ON', { transaction });
    const select: Select = (sql, replacements = {}) =>
      database.query<AuditRow>(sql, { type: QueryTypes.SELECT, replacements, transaction });
    return findings(select, sqlite ? 'sqlite' : 'mysql');
  });
}

export const audit: OpsCommand = {
  summary: 'Recount stock, copies, borrows, tags, courses and outcomes',
  options: { ...serversOption, json: { help: 'print what was found as JSON' } },
  notes: `Only reads, in one consistent snapshot, so the service may run. Prints a line for each difference, at most\n${TOLD_MAX}, and exits 1 when there is one.`,
  async run(given) {
    const found = await withDatabase(chooseInstallation(given.flag('servers')), auditDatabase);
    const { disagreements, more } = found;
    const agree = disagreements.length === 0;
    const counts = Object.entries(found.counts)
      .map(
        ([name, count]) =>
          `${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${count}`,
      )
      .join(', ');
    const lines = [
      ...disagreements,
      ...(more > 0 ? [`... and ${more} more`] : []),
      agree ? `all agree: ${counts}` : `${disagreements.length + more} disagreements: ${counts}`,
    ];
    process.stdout.write(
      given.flag('json')
        ? `${JSON.stringify({ agree, disagreements, more, ...found.counts })}\n`
        : `${lines.join('\n')}\n`,
    );
    return agree ? 0 : 1;
  },
};
