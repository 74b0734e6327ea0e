/**
 * Does work for each item, at most `max` at a time, in their order.
 * @throws the first error, once all that is under way has ended, so that no later run meets it
 */
export async function atOnce<Item>(
  items: readonly Item[],
  max: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const inTurn = async () => {
    for (const item of left) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: max }, inTurn));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
