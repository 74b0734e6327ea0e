import type { Response } from 'express';
import type { Input } from '../endpoint';
import { Problem } from '../responses/problem';

/**
 * Limits the streams of one kind in this process: one per token, some per user, some in all. A new
 * stream of a token replaces the older one, because a browser that lost its connection comes back
 * before the server notices. The older one is notified, so that two tabs do not replace each other
 * for ever.
 */

/** Most streams of one user, or of one network address of clients without a token. */
const STREAMS_PER_USER_MAX = 10;
/** When a user with too many streams may try again, seconds. */
const RETRY_AFTER_S = 15;

/** Last event of a stream that another one replaced. */
const REPLACED = 'replaced';

type Reader = Pick<Input, 'actor' | 'token' | 'address'>;

export class StreamPlace {
  private readonly over = new AbortController();
  private replaced = false;

  constructor(
    readonly userId: number | null,
    readonly tokenId: string | null,
    /** The network address; null for a user, who may have several. */
    readonly address: string | null,
  ) {}

  /** Aborted when the stream must end. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  end(): void {
    this.over.abort();
  }

  giveWay(): void {
    this.replaced = true;
    this.end();
  }

  /** Tells the client that another stream replaced this one. */
  sayGoodbye(stream: { send(event: string, json: string): void }): void {
    if (this.replaced) stream.send(REPLACED, '{}');
  }
}

export class StreamPlaces {
  private readonly taken = new Set<StreamPlace>();
  private closed = false;

  /** @param max streams in all. */
  constructor(private readonly max: number) {}

  /**
   * Takes a place, also that of the same token's stream. One that is asked for its headers alone
   * takes none.
   * @throws Problem RATE_LIMITED when the user has too many, UNAVAILABLE when there are too many.
   */
  take({ actor: { userId }, token, address }: Reader, { req }: Response): StreamPlace {
    const place = new StreamPlace(userId, token?.id ?? null, userId === null ? address : null);
    if (req.method === 'HEAD') return place;
    if (this.closed)
      throw new Problem(
        'UNAVAILABLE',
        'The service is stopping. Open the stream again in a moment.',
      );
    const former = [...this.taken].find(
      ({ tokenId }) => tokenId !== null && tokenId === place.tokenId,
    );
    if (!former) this.mustHaveRoom(place);
    else {
      this.taken.delete(former);
      former.giveWay();
    }
    this.taken.add(place);
    return place;
  }

  leave(place: StreamPlace): void {
    this.taken.delete(place);
  }

  /** Ends all streams, and accepts no more. */
  close(): void {
    this.closed = true;
    for (const place of this.taken) place.end();
  }

  private mustHaveRoom({ userId, address }: StreamPlace): void {
    const own = [...this.taken].filter(
      (other) => other.userId === userId && other.address === address,
    ).length;
    if (own >= STREAMS_PER_USER_MAX) {
      const detail = `You have ${STREAMS_PER_USER_MAX} streams of this kind open, which is the limit. Close one and try again.`;
      throw new Problem('RATE_LIMITED', detail, {
        headers: { 'Retry-After': String(RETRY_AFTER_S) },
      });
    }
    if (this.taken.size >= this.max)
      throw new Problem(
        'UNAVAILABLE',
        `All ${this.max} streams of this API are in use. Try again later.`,
      );
  }
}
