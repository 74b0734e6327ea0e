import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomInt } from 'node:crypto';
import { Problem } from './problem';

/**
 * The bytes of the bodies of requests that are not answered yet. A body is in memory several times over, as text, as values and
 * as a command, from when it is read until its request is answered.
 */

/** A body of at most so many bytes is not counted: those are bounded by the number of connections. */
const SMALL_BYTES = 4096;
/** Longest time after which a client is told to try again, seconds. */
const RETRY_AFTER_S_MAX = 3;

export class BodyBytes {
  private total = 0;

  /** @param most bytes of all bodies. */
  constructor(private readonly most: number) {}

  /**
   * Takes the room for a body, which is given back when the request is answered or its connection gone.
   * @param largest a body may have, bytes: one that does not tell its length may have so many.
   * @throws Problem UNAVAILABLE when there is no room.
   */
  take({ headers }: IncomingMessage, response: ServerResponse, largest: number): void {
    const isPlain = headers['content-encoding'] === undefined && headers['content-length'] !== undefined;
    const bytes = isPlain ? Math.min(Number(headers['content-length']), largest) : largest;
    // Of a connection that is gone nobody would give the room back.
    if (bytes <= SMALL_BYTES || response.closed) return;
    if (this.total + bytes > this.most) {
      const detail = 'The bodies of other requests take all the room now. Nothing was changed; send it again.';
      throw new Problem('UNAVAILABLE', detail, { headers: { 'Retry-After': String(randomInt(1, RETRY_AFTER_S_MAX + 1)) } });
    }
    this.total += bytes;
    response.once('close', () => {
      this.total -= bytes;
    });
  }
}
