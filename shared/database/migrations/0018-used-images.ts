import type { QueryInterface } from 'sequelize';
import { addIndexes } from './dialect';

/** Finds the titles that show an image, so that one which none shows can be removed. */
export async function up(query: QueryInterface): Promise<void> {
  await addIndexes(query, 'book_info', { book_info_book_img: 'book_img' });
}
