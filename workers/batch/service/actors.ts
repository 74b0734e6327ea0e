import { boundedCache } from '../../../shared/bounded-cache';
import type { Actor, Envelope } from '../../../shared/command';
import { User } from '../../../shared/identity/tables';
import { insertIgnoring, placeholders } from '../sql/statements';
import type { Row, Statement } from '../sql/transaction';

/**
 * Users remembered as having a row; anyone else is looked up, and made, in the batch that brings
 * them.
 */
const KNOWN_USERS_MAX = 100_000;

/** Who sent the commands of one batch. */
export interface BatchActors {
  /** They make and read the rows of the users not known yet: none, or two. */
  readonly statements: readonly Statement[];
  /** Their stored names, by user id. */
  readonly usernames: Map<number, string>;
}

/**
 * Makes a user row for every sender of a command who has none, and knows their stored names.
 * Senders with a token of a sign-in already have one. Rows of a batch that was rolled back are not
 * remembered.
 */
export class Actors {
  private readonly known = boundedCache<number, string>(KNOWN_USERS_MAX);
  private present: BatchActors = { statements: [], usernames: new Map() };

  of(envelopes: readonly Envelope[], now: Date): BatchActors {
    const usernames = new Map<number, string>();
    const unknown = new Map<number, Actor>();
    for (const { actor } of envelopes) {
      if (actor.userId === null) continue;
      const username = this.known.get(actor.userId);
      if (username === undefined) unknown.set(actor.userId, actor);
      else usernames.set(actor.userId, username);
    }
    if (unknown.size === 0) return { statements: [], usernames };
    // A token of a sign-in brings a row with it: one that was deleted is not made again of what the
    // token says.
    const rows = [...unknown]
      .filter(([, { isIssued }]) => !isIssued)
      .map(([id, { username, role, isAdmin }]) => ({
        id,
        username: username ?? '',
        role,
        isAdmin: isAdmin ? 1 : 0,
        createdAt: now,
      }));
    const ids = [...unknown.keys()].sort((a, b) => a - b);
    return {
      statements: [
        ...insertIgnoring(User, rows),
        {
          sql: `SELECT id, username FROM \`user\` WHERE id IN (${placeholders(ids.length)})`,
          values: ids,
        },
      ],
      usernames,
    };
  }

  /** Begins to decide a batch, with the rows that the last of its statements returned. */
  open(actors: BatchActors, rows: readonly Row[]): void {
    for (const { id, username } of rows) actors.usernames.set(Number(id), username as string);
    this.present = actors;
  }

  /** The batch was committed: its users need not be looked up again. */
  remember({ usernames }: BatchActors): void {
    for (const [id, username] of usernames) this.known.set(id, username);
  }

  /** Looks every user up again. */
  forget(): void {
    this.known.clear();
  }

  /** Whether the sender of a command of the present batch lacks a row. */
  isGone({ userId }: Actor): boolean {
    return userId !== null && !this.present.usernames.has(userId);
  }

  /** The stored name of a user who sent a command of the present batch. */
  usernameOf(userId: number): string {
    const username = this.present.usernames.get(userId);
    if (username === undefined) throw new Error(`user ${userId} is no actor of this batch`);
    return username;
  }
}
