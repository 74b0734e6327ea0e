/** A load of a view that runs, and the one after it, once somebody waits for that. */
interface Turn {
  readonly ended: Promise<unknown>;
  next: Promise<string> | null;
}

/**
 * Loads views without a cache, one load of each at a time. Nobody joins a load that has begun, for
 * it may not see a commit that was answered meanwhile. All who come while it runs share the next:
 * a crowd that reads one title takes one connection to the database, not all of them.
 */
export class NextLoad {
  private readonly turns = new Map<string, Turn>();

  load(view: string, load: () => Promise<string>): Promise<string> {
    const turn = this.turns.get(view);
    if (!turn) return this.begin(view, load);
    turn.next ??= turn.ended.then(() => this.begin(view, load));
    return turn.next;
  }

  private begin(view: string, load: () => Promise<string>): Promise<string> {
    const loaded = load();
    const turn: Turn = { ended: loaded.catch(() => undefined), next: null };
    this.turns.set(view, turn);
    void turn.ended.then(() => {
      if (!turn.next) this.turns.delete(view);
    });
    return loaded;
  }
}
