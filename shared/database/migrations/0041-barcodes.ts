import type { QueryInterface } from 'sequelize';
import { addColumns, addUniqueIndex, dialectOf } from './dialect';

/**
 * Barcodes of copies. One barcode is on one copy at most among those that are not deleted, whatever
 * two partitions decide at once. Programs of the release before insert copies without one.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { text } = dialectOf(query);
  await addColumns(query, 'book', { barcode: `${text(64)} NULL` });
  await addColumns(query, 'book', {
    live_barcode: `${text(64)} GENERATED ALWAYS AS (CASE WHEN deleted_at IS NULL THEN barcode END) VIRTUAL`,
  });
  await addUniqueIndex(query, 'book', 'book_live_barcode', 'live_barcode');
}
