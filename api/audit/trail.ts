import { createAuditLog } from '../../shared/audit/log';
import { auditRow, type AuditEntry } from '../../shared/audit/entry';
import { Audit } from '../../shared/audit/tables';
import type { Actor } from '../../shared/command';
import type { Now } from '../../shared/database/clock';
import type { Logger } from '../../shared/logger';

/**
 * The audit of what becomes no command: sign-ins that fail, and clients that ask too often. Anybody
 * can cause these, so like ones are gathered into one entry with a count, and so many entries a
 * second are written and no more. What cannot be written yet is gathered on.
 */

/** How often entries are written, milliseconds. */
const WRITE_EVERY_MS = 1000;
/** Entries that may be written at once after a quiet while, and so many more each second. */
const ENTRIES_AT_ONCE = 100;
const ENTRIES_PER_SECOND = 1;
/** Most kinds of events that are gathered separately. Beyond that, there is one for each action. */
const GATHERED_MAX = 1000;

export type TrailAction =
  | 'identity.sign-in-failed'
  | 'identity.sign-in-blocked'
  | 'http.rate-limited';

export interface TrailEvent {
  readonly action: TrailAction;
  readonly actor: Pick<Actor, 'userId' | 'username'> | null;
  readonly target: string | null;
  readonly address: string;
  readonly requestId: string;
}

interface Gathered extends Omit<TrailEvent, 'address' | 'requestId'> {
  readonly address: string | null;
  /** Of the first one. */
  readonly requestId: string | null;
  readonly first: Date;
  count: number;
}

const NOBODY = { userId: null, username: null };

export class AuditTrail {
  private readonly gathered = new Map<string, Gathered>();
  private readonly log: ReturnType<typeof createAuditLog>;
  private readonly timer: NodeJS.Timeout;
  private writing: Promise<void> | null = null;
  private allowed = ENTRIES_AT_ONCE;

  constructor(
    private readonly now: Now,
    private readonly logger: Logger,
  ) {
    this.log = createAuditLog(logger);
    this.timer = setInterval(() => {
      this.allowed = Math.min(
        ENTRIES_AT_ONCE,
        this.allowed + (ENTRIES_PER_SECOND * WRITE_EVERY_MS) / 1000,
      );
      void this.write();
    }, WRITE_EVERY_MS).unref();
  }

  record({ action, actor, target, address, requestId }: TrailEvent): void {
    const key = JSON.stringify([action, actor?.userId ?? null, target, address]);
    if (this.gathered.has(key) || this.gathered.size < GATHERED_MAX)
      this.add(key, { action, actor, target, address, requestId });
    else this.add(action, { action, actor: null, target: null, address: null, requestId: null });
  }

  /** Writes the remaining entries. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.writing;
    this.allowed = ENTRIES_AT_ONCE;
    await this.write();
  }

  private add(key: string, event: Omit<Gathered, 'first' | 'count'>): void {
    const gathered = this.gathered.get(key) ?? { ...event, first: this.now(), count: 0 };
    gathered.count += 1;
    this.gathered.set(key, gathered);
  }

  private write(): Promise<void> {
    this.writing ??= this.writeAllowed().finally(() => {
      this.writing = null;
    });
    return this.writing;
  }

  private async writeAllowed(): Promise<void> {
    const some = [...this.gathered].slice(0, Math.floor(this.allowed));
    if (some.length === 0) return;
    for (const [key] of some) this.gathered.delete(key);
    this.allowed -= some.length;
    const entries = some.map(([, gathered]) => this.entryOf(gathered));
    this.log(entries);
    try {
      await Audit.bulkCreate(entries.map(auditRow));
    } catch (error) {
      // They have been logged. A database that is unavailable must not make them pile up.
      this.logger.error({ err: error, entries: entries.length }, 'audit entries not stored');
    }
  }

  private entryOf({
    action,
    actor,
    target,
    address,
    requestId,
    first,
    count,
  }: Gathered): AuditEntry {
    const facts = { count, ...(count > 1 && { since: first.toISOString() }) };
    return { at: this.now(), actor: actor ?? NOBODY, action, target, facts, address, requestId };
  }
}
