import { limitsOf, type Page } from '../http/paging';

/** A page of a list, and how long the whole list is. */
export interface Found<Item> {
  readonly items: Item[];
  readonly totalItems: number;
}

/** Counts only when the page itself does not tell the total. */
export async function withTotal<Item>(page: Page, items: Item[], count: () => Promise<number>): Promise<Found<Item>> {
  const last = items.length < page.size && (items.length > 0 || page.page === 1);
  return { items, totalItems: last ? limitsOf(page).offset + items.length : await count() };
}
