import { isPrepared } from '../../../shared/database/session';
import type { MysqlConnection } from './batch-connection';

/**
 * A text as MySQL takes it within single quotes, where only they and the backslash have to be
 * escaped.
 */
const literalOf = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;

/**
 * Returns the values with the slow ones escaped already, which halves the time for a batch. The
 * driver would escape every double quote of JSON needlessly, and would format the few instants of a
 * batch once for each row. Instants are in UTC, like the sessions.
 * @throws for a connection that was not made ready by `prepareSession`.
 */
export function quickValues(connection: MysqlConnection, values: readonly unknown[]): unknown[] {
  if (!isPrepared(connection))
    throw new Error('values are not escaped for a session whose settings are unknown');
  const instants = new Map<number, string>();
  const instantOf = (value: Date): string => {
    const text =
      instants.get(value.getTime()) ?? value.toISOString().slice(0, -1).replace('T', ' ');
    instants.set(value.getTime(), text);
    return text;
  };
  return values.map((value) => {
    if (value instanceof Date) return instantOf(value);
    return typeof value === 'string' && value.includes('"')
      ? connection.raw(literalOf(value))
      : value;
  });
}
