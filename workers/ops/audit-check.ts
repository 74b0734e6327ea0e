/** What a check of the audit is. */

/** The text of a column of a row that disagrees, empty for NULL. */
export type Column = (name: string) => string;

export interface Check {
  /** Finds what disagrees. `:since` is the instant that `outcomesSince` gives. */
  readonly sql: string;
  /** Says a row that disagrees in one line. */
  tell(column: Column): string;
}

/**
 * Says which of the rows that a row names are missing: `columns` gives the column with the id of
 * each that is, empty for the others.
 */
export function tellMissing(row: string, columns: Readonly<Record<string, string>>): Check['tell'] {
  return (of) => {
    const missing = Object.entries(columns).flatMap(([what, column]) =>
      of(column) === '' ? [] : [`${what} ${of(column)}`],
    );
    return `${row} ${of('id')}: missing is its ${missing.join(', ')}`;
  };
}
