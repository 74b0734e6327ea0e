import type { Random } from '../../simulation/random';

/**
 * Ids that answers have told, by the name of the field, so that requests are about things that are
 * there.
 */
export class KnownIds {
  private readonly ids = new Map<string, (number | string)[]>();

  constructor(private readonly random: Random) {}

  /** Learns the ids of an answer and of what is in it. */
  learn(body: unknown): void {
    if (typeof body !== 'object' || body === null) return;
    for (const [name, value] of Object.entries(body)) {
      if (name.endsWith('Id') && (typeof value === 'number' || typeof value === 'string'))
        this.add(name === 'commandId' ? 'command' : name, value);
      else if (name === 'tags' && Array.isArray(value))
        for (const tag of value) this.add('name', tag as string);
      else if (name === 'barcode' && typeof value === 'string') this.add(name, value);
      else this.learn(value);
    }
  }

  pick(name: string): number | string | undefined {
    const ids = this.ids.get(name);
    return ids && this.random.pick(ids);
  }

  private add(name: string, id: number | string): void {
    const ids = this.ids.get(name) ?? [];
    this.ids.set(name, ids);
    // The latest matter most: older things may have been deleted.
    ids.push(id);
    if (ids.length > 50) ids.shift();
  }
}
