import type { Response } from 'express';
import type { Input } from './endpoint';
import { Problem } from './problem';

/**
 * Who may have a stream of one kind in this process: one for each token, so many for each user, so
 * many in all. A stream of a token takes the place of the one that the token has: a browser that
 * lost its connection comes back before the server notices. The former is told, so that two tabs
 * with one token do not take the place from each other for ever.
 */

/** Most streams of one user. */
const STREAMS_PER_USER_MAX = 10;
/** When somebody may try again who has too many streams, seconds. */
const RETRY_AFTER_S = 15;

/** Event that is the last of a stream whose place another one took. */
const REPLACED = 'replaced';

type Reader = Pick<Input, 'actor' | 'token'>;

export class StreamPlace {
  private readonly over = new AbortController();
  private replaced = false;

  constructor(
    readonly userId: number | null,
    readonly tokenId: string | null,
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

  /** Tells the client why its stream ends, when another one took its place. */
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
  take({ actor, token }: Reader, { req }: Response): StreamPlace {
    const place = new StreamPlace(actor.userId, token?.id ?? null);
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

  /** Ends all streams, and takes no more. */
  close(): void {
    this.closed = true;
    for (const place of this.taken) place.end();
  }

  private mustHaveRoom({ userId }: StreamPlace): void {
    const own = [...this.taken].filter(
      (other) => userId !== null && other.userId === userId,
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
