/**
 * An instant as a query returns it when Sequelize builds no object of the row: SQLite keeps
 * instants as text.
 */
export type StoredInstant = Date | string;

/** Returns a stored value that may be missing. */
export const optionalDate = (instant: StoredInstant | null): Date | null =>
  instant === null ? null : new Date(instant);
