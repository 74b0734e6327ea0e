import { useState } from 'react';

/**
 * Items of a list that stay where they are after they are gone from it, until somebody leaves the
 * place: so no other one slides under the pointer.
 */
export interface Kept<Item> {
  readonly item: Item;
  readonly isGone: boolean;
}

/** `idOf` returns the id of an item. */
export function useKept<Item>(
  items: readonly Item[],
  idOf: (item: Item) => number,
): readonly Kept<Item>[] {
  const [seen, setSeen] = useState<readonly Item[]>([]);
  const now = new Map(items.map((item) => [idOf(item), item]));
  const known = new Set(seen.map(idOf));
  const added = items.filter((item) => !known.has(idOf(item)));
  if (added.length > 0) setSeen([...seen, ...added]);
  return [...seen, ...added].map((item) => {
    const current = now.get(idOf(item));
    return { item: current ?? item, isGone: current === undefined };
  });
}
