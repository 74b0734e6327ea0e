import type { Surroundings } from '../surroundings';
import { Session, type SessionServer } from './session';
import { Storage } from './storage';
import { DatabaseError, type TableShape, type Transaction } from './transaction';

/** The database server: its sessions, and whether it is there at all. */
export class DatabaseServer implements SessionServer {
  readonly storage: Storage;
  readonly namedLocks = new Map<string, Session>();
  up = true;
  private readonly sessions = new Set<Session>();

  constructor(
    readonly around: Surroundings,
    shapes: readonly TableShape[],
  ) {
    this.storage = new Storage(shapes);
  }

  open(name: string, lose: () => void): Session {
    const session: Session = new Session(this, name, () => {
      this.sessions.delete(session);
      lose();
    });
    this.sessions.add(session);
    return session;
  }

  commit(transaction: Transaction): void {
    this.around.judge.committing(transaction);
    this.storage.commit(transaction);
  }

  kill(session: unknown): void {
    if (session instanceof Session && !session.ended) session.end();
    else throw new DatabaseError('ER_NO_SUCH_THREAD');
  }

  isDeadlock(session: Session): boolean {
    const owners = new Map([...this.sessions].map((other) => [other.transaction, other]));
    for (let at = session.waitsFor; at; at = owners.get(at)?.waitsFor ?? null)
      if (at === session.transaction) return true;
    return false;
  }

  /** Ends every connection and takes no new ones, until it is up again. What is committed stays. */
  goDown(): void {
    this.up = false;
    for (const session of [...this.sessions]) session.end();
  }
}
