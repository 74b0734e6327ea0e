import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '../responses/problem';

/**
 * The bytes of the bodies of requests that are not answered yet. A body is in memory several times
 * over, as text, as values and as a command, from when it is read until its request is answered.
 */

/**
 * What has at most so many bytes is not counted: bodies are bounded by the number of connections,
 * and commands by their own.
 */
export const SMALL_BYTES = 4096;

export class BodyBytes {
  private total = 0;

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
}
