import type { QueryInterface } from 'sequelize';
import { addIndexes } from './dialect';

/** Adds the index that finds the titles of an image, so that unused images can be removed. */
export async function up(query: QueryInterface): Promise<void> {
  await addIndexes(query, 'book_info', { book_info_book_img: 'book_img' });
}
