/** A check of `ops audit`. */

/** The text of a column of a row that disagrees, empty for NULL. */
export type Column = (name: string) => string;

export interface Check {
  /** Finds what disagrees. `:since` is the instant that `outcomesSince` gives. */
  readonly sql: string;
  /** Describes a row that disagrees in one line. */
  tell(column: Column): string;
}

/**
 * Describes which rows are missing that a row refers to. `columns`: for each, the column with its
 * id, or empty when it exists.
 */
export function tellMissing(row: string, columns: Readonly<Record<string, string>>): Check['tell'] {
  return (of) => {
    const missing = Object.entries(columns).flatMap(([what, column]) =>
      of(column) === '' ? [] : [`${what} ${of(column)}`],
    );
    return `${row} ${of('id')}: its ${missing.join(', ')} is missing`;
  };
}
