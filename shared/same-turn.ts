/** What has come in this turn of the event loop, and what all of it leads to. */
interface Gathered<Item, Result> {
  readonly items: Item[];
  readonly result: Promise<Result>;
}

/**
 * Gathers what comes in the same turn of the event loop, so that it is done together. Nothing waits
 * for more: what is alone is done alone.
 */
export class SameTurn<Item, Result> {
  private open: Gathered<Item, Result> | null = null;

  /** @param itemsMax most items that are done together. */
  constructor(private readonly itemsMax: number) {}

  /** Does it with what comes beside it. Returns the result, and the item's place in it. */
  async add(
    item: Item,
    doAll: (items: readonly Item[]) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly place: number }> {
    if (!this.open || this.open.items.length === this.itemsMax) this.open = this.gather(doAll);
    const { items, result } = this.open;
    const place = items.push(item) - 1;
    return { result: await result, place };
  }

  private gather(doAll: (items: readonly Item[]) => Promise<Result>): Gathered<Item, Result> {
    const items: Item[] = [];
    const turn = new Promise<void>((resolve) => {
      setImmediate(() => {
        if (this.open?.items === items) this.open = null;
        resolve();
      });
    });
    return { items, result: turn.then(() => doAll(items)) };
  }
}
