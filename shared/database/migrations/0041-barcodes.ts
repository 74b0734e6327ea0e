import type { QueryInterface } from 'sequelize';
import { addColumns, addUniqueIndex, dialectOf } from './dialect';

/**
 * Adds barcodes of copies. A barcode is on at most one copy that is not deleted, even when two
 * partitions decide at once. Programs of the former release insert copies without a barcode.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { text } = dialectOf(query);
  await addColumns(query, 'book', { barcode: `${text(64)} NULL` });
  await addColumns(query, 'book', {
    live_barcode: `${text(64)} GENERATED ALWAYS AS (CASE WHEN deleted_at IS NULL THEN barcode END) VIRTUAL`,
  });
  await addUniqueIndex(query, 'book', 'book_live_barcode', 'live_barcode');
}
