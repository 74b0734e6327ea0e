import { QueryTypes, type QueryInterface } from 'sequelize';

/**
 * The few words in which MySQL, MariaDB and SQLite differ, so that a migration is written once.
 * Every statement can be run again: MySQL commits each DDL statement by itself, so a migration that
 * died half way starts over.
 */
export interface Table {
  readonly name: string;
  /** Column and constraint definitions, as SQL. */
  readonly columns: readonly string[];
  /** Index name to its columns. */
  readonly unique?: Readonly<Record<string, string>>;
  readonly index?: Readonly<Record<string, string>>;
  /** Whether rows are stored in the order of the primary key. In MySQL they always are. */
  readonly clustered?: boolean;
}

export function dialectOf(query: QueryInterface) {
  const sqlite = query.sequelize.getDialect() === 'sqlite';
  const collated = (collation: string) =>
    sqlite ? '' : ` CHARACTER SET utf8mb4 COLLATE ${collation}`;
  return {
    sqlite,
    /** A primary key that the workers assign. */
    id: sqlite ? 'INTEGER PRIMARY KEY NOT NULL' : 'BIGINT NOT NULL PRIMARY KEY',
    /** A primary key that the database assigns. */
    autoId: sqlite
      ? 'INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL'
      : 'BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY',
    instant: sqlite ? 'DATETIME' : 'DATETIME(3)',
    longText: sqlite ? 'TEXT' : 'MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
    /** Text for people, compared byte for byte. */
    text: (length: number) => `VARCHAR(${length})${collated('utf8mb4_bin')}`,
    /** Names and ids made of ASCII. */
    ascii: (length: number) =>
      `VARCHAR(${length})${sqlite ? '' : ' CHARACTER SET ascii COLLATE ascii_bin'}`,
  };
}

/** Creates a table with its indexes unless it exists. */
export async function createTable(query: QueryInterface, table: Table): Promise<void> {
  const { sqlite } = dialectOf(query);
  const indexes = [
    ...Object.entries(table.unique ?? {}).map(([name, columns]) => ({
      name,
      columns,
      kind: 'UNIQUE INDEX',
    })),
    ...Object.entries(table.index ?? {}).map(([name, columns]) => ({
      name,
      columns,
      kind: 'INDEX',
    })),
  ];
  const inline = sqlite
    ? []
    : indexes.map(({ name, columns, kind }) => `${kind} ${name} (${columns})`);
  const end = sqlite
    ? table.clustered
      ? ' WITHOUT ROWID'
      : ''
    : ' ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4';
  await query.sequelize.query(
    `CREATE TABLE IF NOT EXISTS \`${table.name}\` (${[...table.columns, ...inline].join(', ')})${end}`,
  );
  if (!sqlite) return;
  for (const { name, columns, kind } of indexes) {
    await query.sequelize.query(
      `CREATE ${kind} IF NOT EXISTS ${name} ON \`${table.name}\` (${columns})`,
    );
  }
}

/**
 * Returns the columns, also where Sequelize's `describeTable` fails: at an index on a generated
 * column of SQLite.
 */
async function columnNames(query: QueryInterface, table: string): Promise<string[]> {
  const sql = dialectOf(query).sqlite
    ? 'SELECT name FROM pragma_table_xinfo(?)'
    : 'SELECT column_name AS name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?';
  const rows = await query.sequelize.query<{ name: string }>(sql, {
    replacements: [table.replaceAll('`', '')],
    type: QueryTypes.SELECT,
  });
  return rows.map(({ name }) => name);
}

/** Adds missing columns, by name and type. */
export async function addColumns(
  query: QueryInterface,
  table: string,
  columns: Readonly<Record<string, string>>,
): Promise<void> {
  const present = await columnNames(query, table);
  for (const [name, type] of Object.entries(columns)) {
    if (!present.includes(name))
      await query.sequelize.query(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
  }
}

/** Adds missing indexes, by name and columns. */
export async function addIndexes(
  query: QueryInterface,
  table: string,
  indexes: Readonly<Record<string, string>>,
): Promise<void> {
  const present = new Set(
    ((await query.showIndex(table)) as { name: string }[]).map(({ name }) => name),
  );
  for (const [name, columns] of Object.entries(indexes)) {
    if (!present.has(name))
      await query.sequelize.query(`CREATE INDEX ${name} ON ${table} (${columns})`);
  }
}

/** Adds a unique index unless it exists. */
export async function addUniqueIndex(
  query: QueryInterface,
  table: string,
  name: string,
  columns: string,
): Promise<void> {
  const present = (await query.showIndex(table)) as { name: string }[];
  if (present.some((index) => index.name === name)) return;
  await query.sequelize.query(`CREATE UNIQUE INDEX ${name} ON \`${table}\` (${columns})`);
}

/** Replaces indexes of a table with others. */
export async function replaceIndexes(
  query: QueryInterface,
  table: string,
  replacements: readonly {
    readonly old: string;
    readonly name: string;
    readonly columns: string;
  }[],
): Promise<void> {
  const { sqlite } = dialectOf(query);
  const names = new Set(
    ((await query.showIndex(table)) as { name: string }[]).map(({ name }) => name),
  );
  const missing = replacements.filter(({ name }) => !names.has(name));
  const left = replacements.filter(({ old }) => names.has(old));
  const changes = sqlite
    ? [
        ...missing.map(({ name, columns }) => `CREATE INDEX ${name} ON ${table} (${columns})`),
        ...left.map(({ old }) => `DROP INDEX ${old}`),
      ]
    : [
        `ALTER TABLE ${table} ${[...missing.map(({ name, columns }) => `ADD INDEX ${name} (${columns})`), ...left.map(({ old }) => `DROP INDEX ${old}`)].join(', ')}`,
      ];
  if (missing.length + left.length === 0) return;
  for (const change of changes) await query.sequelize.query(change);
}

/** Starts the ids of the given kinds at 1, unless some are in use. */
export async function seedIds(query: QueryInterface, kinds: readonly string[]): Promise<void> {
  const { sqlite } = dialectOf(query);
  for (const kind of kinds) {
    await query.sequelize.query(
      `INSERT ${sqlite ? 'OR ' : ''}IGNORE INTO id_block (kind, next_id) VALUES (?, 1)`,
      { replacements: [kind] },
    );
  }
}

/**
 * Runs statements that rebuild a table of SQLite, which cannot change a column or a constraint. The
 * steps are those of its documentation of ALTER TABLE. All take effect, or none.
 */
export async function rebuildOnSqlite(
  { sequelize }: QueryInterface,
  statements: readonly string[],
): Promise<void> {
  const run = (sql: string) => sequelize.query(sql);
  await run('PRAGMA foreign_keys = OFF');
  await run('BEGIN IMMEDIATE');
  try {
    for (const statement of statements) await run(statement);
    await run('COMMIT');
  } catch (error) {
    await run('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await run('PRAGMA foreign_keys = ON');
  }
}
