import type { Mutation } from './mutation';

const DRIVER = 'shared/database/sqlite-driver.ts';
const DRIVER_TESTS = 'test/integration/shared/database/sqlite-driver.test.ts';
const FOLDER = 'shared/database/data-folder.ts';
const LOG = 'shared/messaging/embedded.ts';

/**
 * What MySQL is told first; the file of the embedded default, and what becomes of a disk that
 * fails.
 */
export const storageMutations: readonly Mutation[] = [
  {
    guard: 'a session reads SQL as values are written, whatever the server does by default',
    file: 'shared/database/session.ts',
    find: "sql_mode = '${SQL_MODE.join()}', ",
    replace: '',
    tests: 'test/integration/shared/database/sql-mode.test.ts',
    only: 'stores every text',
    built: true,
  },
  {
    guard: 'a statement that writes by itself takes its turn',
    file: DRIVER,
    find: 'WRITES.test(sql) && !this.handle.isTransaction',
    replace: 'WRITES.test(sql) && !sql',
    tests: DRIVER_TESTS,
  },
  {
    guard: 'connections have their turn between long statements',
    file: DRIVER,
    find: 'performance.now() - begun > LONG_MS',
    replace: 'performance.now() - begun < 0',
    tests: DRIVER_TESTS,
  },
  {
    guard: 'columns that are known are read again after a change of a table',
    file: DRIVER,
    find: '        columns.forget();\n',
    replace: '',
    tests: DRIVER_TESTS,
  },
  {
    guard: 'columns that are known are read again after the end of a change of a table',
    file: DRIVER,
    find: 'if (!this.handle.isTransaction) this.forgetColumns();',
    replace: 'this.altersTables = this.handle.isTransaction;',
    tests: DRIVER_TESTS,
  },
  {
    guard: 'one migration at a time',
    file: 'shared/database/migrate.ts',
    find: "SELECT GET_LOCK('lendline.migrate', ${LOCK_WAIT_S}) AS got",
    replace: 'SELECT 1 AS got',
    tests: 'test/integration/shared/database/migrate.test.ts',
  },
  {
    guard: 'the turn to write is passed on after a COMMIT that failed',
    file: 'shared/database/connect.ts',
    find: '    connectionManager.releaseConnection(connection);\n',
    replace: '',
    tests: DRIVER_TESTS,
    only: 'COMMIT that broke a deferred constraint',
  },
  {
    guard: 'a COMMIT that fails stops no later write, whatever else the disk does',
    file: 'shared/database/connect.ts',
    find: '    connectionManager.releaseConnection(connection);\n',
    replace: '',
    tests: 'test/simulation/simulation.test.ts',
    only: 'keeps what is stored right',
  },
  {
    guard: 'the turn to write is passed on after ROLLBACK',
    file: DRIVER,
    find: 'if ((COMMITS.test(sql) || ROLLS_BACK.test(sql)) &&',
    replace: 'if (COMMITS.test(sql) &&',
    tests: DRIVER_TESTS,
    only: 'that is a statement of its own',
  },
  {
    guard: 'a transaction that SQLite has rolled back by itself takes nothing more',
    file: DRIVER,
    find: 'else if (this.writes && !this.handle.isTransaction) {',
    replace: 'else if (this.writes && !this.handle) {',
    tests: DRIVER_TESTS,
    only: 'runs nothing alone',
  },
  {
    guard: 'what was committed survives a power cut',
    file: 'shared/database/sqlite-files.ts',
    find: "'synchronous = FULL'",
    replace: "'synchronous = OFF'",
    tests: DRIVER_TESTS,
    only: 'only when the disk has what it stored',
  },
  {
    guard: 'a full disk is known by its text where the driver gives no number',
    file: 'shared/database/sqlite-errors.ts',
    find: "  ['database or disk is full', 'SQLITE_FULL'],\n",
    replace: '',
    tests: DRIVER_TESTS,
    only: 'database or disk is full',
  },
  {
    guard: 'a data folder belongs to one process',
    file: FOLDER,
    find: "handle.exec('BEGIN EXCLUSIVE');",
    replace: "handle.exec('BEGIN');",
    tests: 'test/integration/shared/database/data-folder.test.ts',
    only: 'one process at a time',
    built: true,
  },
  {
    guard: 'files of the data folder belong to their owner alone',
    file: FOLDER,
    find: '    process.umask(0o077);\n',
    replace: '',
    tests: 'test/integration/shared/database/data-folder.test.ts',
    only: 'can be read only by their owner',
    built: true,
  },
  {
    guard: 'a damaged secret is not taken for one',
    file: FOLDER,
    find: 'if (secret.length >= SECRET_LENGTH_MIN) return secret;',
    replace: 'if (secret.length >= 0 * SECRET_LENGTH_MIN) return secret;',
    tests: 'test/integration/shared/database/data-folder.test.ts',
    only: 'damaged secret',
    built: true,
  },
  {
    guard: 'a COMMIT of the command log whose end is unknown is no refusal',
    file: LOG,
    find: 'const refused = !stage.committing || isCertainlyNotCommitted(error);',
    replace: 'const refused = !stage.committing || error instanceof Error;',
    tests: 'test/integration/shared/messaging/embedded-log.test.ts',
    only: 'does not refuse a command that may have been stored',
  },
  {
    guard: 'nothing is taken in while the disk is full',
    file: LOG,
    find: '    if (fault !== null) return Promise.reject',
    replace: '    if (fault?.length === 0) return Promise.reject',
    tests: 'test/integration/shared/messaging/embedded-log.test.ts',
    only: 'refuses at once',
  },
];
