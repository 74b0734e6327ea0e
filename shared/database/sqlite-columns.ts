type Row = Record<string, unknown>;

/** As Sequelize asks before each query, once for each table of it. */
const ASKS = /^PRAGMA table_info\(/;
const CHANGES_TABLES = /^\s*(?:CREATE|ALTER|DROP)\b/i;

/**
 * The columns of tables, which are read once and known from then on. Whatever may change a table
 * ends that, and so does the end of a transaction in which one was changed.
 */
export class KnownColumns {
  private readonly rows = new Map<string, Row[]>();

  of(sql: string): Row[] | undefined {
    return this.rows.get(sql);
  }

  learn(sql: string, rows: Row[] | undefined): void {
    if (rows && ASKS.test(sql)) this.rows.set(sql, rows);
  }

  forget(): void {
    this.rows.clear();
  }
}

export const changesTables = (sql: string): boolean => CHANGES_TABLES.test(sql);
