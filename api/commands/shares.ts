import { randomInt } from 'node:crypto';
import { Problem } from '../http/problem';

/**
 * Whose turn it is to send a command. A queue serves in the order of arrival, so one client that sends a hundred times what others
 * send would make all of them wait as long as itself. So nobody may have more under way than a share of what the others have;
 * what exceeds it waits here, in order, until some of its own has ended. A client that is alone has no such limit.
 */

/** What anybody may have under way, whatever the others have. */
export const SHARE_MIN = 16;
/** What anybody may have under way, as a part of what all others have. */
const SHARE_OF_OTHERS = 1 / 4;
/** Most commands of one client that wait for their turn. */
export const WAITING_MAX = 256;
/** How long a command waits for its turn, milliseconds; then it has it. So an outage, in which nothing ends, refuses nobody for their share. */
export const TURN_WAIT_MS = 5000;
/** Longest time after which a client is told to try again, seconds. */
const RETRY_AFTER_S_MAX = 5;

interface Waiting {
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

interface Client {
  underWay: number;
  readonly waiting: Waiting[];
}

function exceeded(): Problem {
  const detail = 'Too many commands of this client wait while others send some, too. This one was not accepted; it is safe to send it again.';
  return new Problem('RATE_LIMITED', detail, { headers: { 'Retry-After': String(randomInt(1, RETRY_AFTER_S_MAX + 1)) } });
}

export class Shares {
  private readonly clients = new Map<string, Client>();
  private readonly waiting = new Set<Client>();
  private total = 0;

  /**
   * Takes a place, at once or in turn, for the client to give back with `leave`.
   * @throws Problem RATE_LIMITED when too many wait for theirs.
   */
  async enter(name: string): Promise<void> {
    const client = this.clients.get(name) ?? { underWay: 0, waiting: [] };
    this.clients.set(name, client);
    if (client.waiting.length > 0 || !this.mayBegin(client)) return this.turn(client);
    this.begin(client);
    this.serve();
  }

  leave(name: string): void {
    const client = this.clients.get(name);
    if (!client) return;
    client.underWay -= 1;
    this.total -= 1;
    this.forget(name, client);
    this.serve();
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
    });
  }

  private begin(client: Client): void {
    client.underWay += 1;
    this.total += 1;
  }

  /** A place more or less changes the shares of all. */
  private serve(): void {
    for (const client of this.waiting) {
      while (client.waiting.length > 0 && this.mayBegin(client)) this.beginFirst(client);
    }
  }

  private beginFirst(client: Client): void {
    const first = client.waiting.shift();
    if (client.waiting.length === 0) this.waiting.delete(client);
    first?.begin();
  }

  private mayBegin({ underWay }: Client): boolean {
    const others = this.total - underWay;
    return others === 0 || underWay < Math.max(SHARE_MIN, others * SHARE_OF_OTHERS);
  }

  private forget(name: string, { underWay, waiting }: Client): void {
    if (underWay === 0 && waiting.length === 0) this.clients.delete(name);
  }
}
