import type { QueryInterface } from 'sequelize';
import { replaceIndexes } from './dialect';

/**
 * Adds to the indexes that order titles whether a title is deleted. Neither a count nor a deep page
 * has to read the rows then.
 */
export async function up(query: QueryInterface): Promise<void> {
  await replaceIndexes(query, 'book_info', [
    {
      old: 'book_info_created_at',
      name: 'book_info_by_creation',
      columns: 'created_at, id, deleted_at',
    },
    {
      old: 'book_info_search_title',
      name: 'book_info_by_title',
      columns: 'search_title, id, deleted_at',
    },
    {
      old: 'book_info_publication_date',
      name: 'book_info_by_publication',
      columns: 'publication_date, id, deleted_at',
    },
    {
      old: 'book_info_borrow_count',
      name: 'book_info_by_popularity',
      columns: 'borrow_count, id, deleted_at',
    },
    {
      old: 'book_info_available_stock',
      name: 'book_info_by_stock',
      columns: 'available_stock, id, deleted_at',
    },
  ]);
}
