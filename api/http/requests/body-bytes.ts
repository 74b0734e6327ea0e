import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '../responses/problem';

/**
 * What large bodies may take of a process: room, and time.
 * - Room: a body is in memory several times over, as text, as values and as a command, from when it
 *   is read until its request is answered.
 * - Time: they are parsed and checked one after the other, in at most half of the time, so that the
 *   other half is left to small requests.
 */

/**
 * What has at most so many bytes is not counted: bodies are bounded by the number of connections,
 * and commands by their own.
 */
export const SMALL_BYTES = 4096;

export class BodyBytes {
  private total = 0;
  /** Resolves when the next large body may be parsed. */
  private free: Promise<void> = Promise.resolve();
  /** Time that large bodies took and that was not left to others yet, milliseconds. */
  private owedMs = 0;

  /** @param most bytes of all bodies. */
  constructor(private readonly most: number) {}

  /**
   * Takes the room for a body, which is given back when the request is answered or its connection
   * gone.
   * @param largest a body may have, bytes: one that does not tell its length may have so many.
   * @throws Problem UNAVAILABLE when there is no room.
   */
  take({ headers }: IncomingMessage, response: ServerResponse, largest: number): void {
    const isPlain =
      headers['content-encoding'] === undefined && headers['content-length'] !== undefined;
    const bytes = isPlain ? Math.min(Number(headers['content-length']), largest) : largest;
    // Of a connection that is gone nobody would give the room back.
    if (bytes <= SMALL_BYTES || response.closed) return;
    if (this.total + bytes > this.most) {
      throw new Problem(
        'UNAVAILABLE',
        'Too many large requests are under way. Nothing was changed. Send this one again later.',
      );
    }
    this.total += bytes;
    response.once('close', () => {
      this.total -= bytes;
    });
  }

  /**
   * Resolves when a body of `bytes` may be parsed and checked, which the caller then does at once:
   * what it does until it waits for something else is its time.
   */
  async turn(bytes: number): Promise<void> {
    if (bytes <= SMALL_BYTES) return;
    const turn = this.free;
    this.free = turn.then(() => this.pauseAfterTurn());
    await turn;
  }

  /** Resolves when others had as much time as the turn that begins now takes. */
  private pauseAfterTurn(): Promise<void> {
    const begunAt = performance.now();
    return new Promise((leave) => {
      // Runs once the caller of `turn` waits.
      process.nextTick(() => {
        this.owedMs += performance.now() - begunAt;
        // Timers count in whole milliseconds.
        if (this.owedMs < 1) leave();
        else setTimeout(leave, this.owedMs);
        this.owedMs %= 1;
      });
    });
  }
}
