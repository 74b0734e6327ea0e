import { randomInt } from 'node:crypto';
import { Problem } from '../http/responses/problem';

/**
 * Decides whose turn it is to send a command. A queue serves in order of arrival, so a client that
 * sends a hundred times as much as others would make all of them wait.
 *
 * While others have commands under way, a client has at most its share. The rest waits here, in
 * order, and is let in a few times a second: one by one, its commands would make many small
 * batches. A client that is alone has no limit.
 */

/** What anybody may have under way, whatever the others have. */
export const SHARE_MIN = 16;
/** What anybody may have under way, as a part of what all others have. */
const SHARE_OF_OTHERS = 1 / 4;
/** How often those that wait are let in while others have commands under way, milliseconds. */
export const TURN_MS = 100;
/** Most commands of one client that wait for their turn. */
export const WAITING_MAX = 256;
/**
 * How long a command waits for its turn, milliseconds; then it has it. So an outage, in which
 * nothing ends, refuses nobody for their share.
 */
export const TURN_WAIT_MS = 5000;
/** Longest time after which a client is told to try again, seconds. */
const RETRY_AFTER_S_MAX = 5;

interface Waiting {
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

interface Client {
  readonly name: string;
  underWay: number;
  readonly waiting: Waiting[];
}

interface End {
  readonly client: string | null;
  readonly at: number;
}

const NO_END: End = { client: null, at: -Infinity };

function exceeded(): Problem {
  const detail =
    'Too many of your commands wait, and other clients need their share. This one was not accepted. You can safely send it again.';
  return new Problem('RATE_LIMITED', detail, {
    headers: { 'Retry-After': String(randomInt(1, RETRY_AFTER_S_MAX + 1)) },
  });
}

export class Shares {
  private readonly clients = new Map<string, Client>();
  private readonly waiting = new Set<Client>();
  private total = 0;
  /** The last command that ended, and the last of another client than that one. */
  private lastEnd = NO_END;
  private endBefore = NO_END;
  /** Runs while somebody waits. */
  private turns: NodeJS.Timeout | null = null;

  /**
   * Takes a place, at once or in turn, for the client to give back with `leave`.
   * @throws Problem RATE_LIMITED when too many wait for theirs.
   */
  async enter(name: string): Promise<void> {
    const client = this.clients.get(name) ?? { name, underWay: 0, waiting: [] };
    this.clients.set(name, client);
    if (client.waiting.length > 0 || !this.mayBegin(client)) return this.turn(client);
    this.begin(client);
  }

  leave(name: string): void {
    const client = this.clients.get(name);
    if (!client) return;
    client.underWay -= 1;
    this.total -= 1;
    this.forget(client);
    if (this.lastEnd.client !== name) this.endBefore = this.lastEnd;
    this.lastEnd = { client: name, at: performance.now() };
  }

  private turn(client: Client): Promise<void> {
    if (client.waiting.length >= WAITING_MAX) return Promise.reject(exceeded());
    return new Promise((resolve) => {
      const waiting: Waiting = {
        begin: () => {
          clearTimeout(waiting.timer);
          this.begin(client);
          resolve();
        },
        // All wait for the same time, so it is the first.
        timer: setTimeout(() => {
          this.beginFirst(client);
        }, TURN_WAIT_MS),
      };
      client.waiting.push(waiting);
      this.waiting.add(client);
      this.turns ??= setInterval(() => {
        this.nextTurn();
      }, TURN_MS);
    });
  }

  private begin(client: Client): void {
    client.underWay += 1;
    this.total += 1;
  }

  private nextTurn(): void {
    for (const client of this.waiting) {
      while (client.waiting.length > 0 && this.mayBegin(client)) this.beginFirst(client);
    }
  }

  private beginFirst(client: Client): void {
    const first = client.waiting.shift();
    if (client.waiting.length === 0) this.waiting.delete(client);
    if (this.waiting.size === 0 && this.turns) {
      clearInterval(this.turns);
      this.turns = null;
    }
    first?.begin();
  }

  /**
   * Commands of many clients end together, with their batch: so others count for a moment longer.
   */
  private isAlone(client: Client): boolean {
    const { at } = this.lastEnd.client === client.name ? this.endBefore : this.lastEnd;
    return this.total === client.underWay && performance.now() - at >= TURN_MS;
  }

  private mayBegin(client: Client): boolean {
    const others = this.total - client.underWay;
    const share = Math.max(SHARE_MIN, others * SHARE_OF_OTHERS);
    return this.isAlone(client) || client.underWay < share;
  }

  private forget({ name, underWay, waiting }: Client): void {
    if (underWay === 0 && waiting.length === 0) this.clients.delete(name);
  }
}
