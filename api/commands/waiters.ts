import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from '../../shared/command';
import type { Logger } from '../../shared/logger';
import type { CommandSender } from '../../shared/messaging/transport';
import type { Outcomes } from './outcomes';

/**
 * The clients of this API process that wait for a command to end. Replies wake them; a reply may be
 * lost, or go to another process, so whoever has waited for a while is also looked up in the
 * database, all of them in one query.
 */

/** Most clients that may wait at the same time. Others get the command id at once. */
export const WAITERS_MAX = 20_000;
/** How often the database is asked for those who wait, milliseconds. */
const LOOKUP_INTERVAL_MS = 500;
/**
 * Who waits for less than this is not looked up yet, milliseconds: normally the reply comes sooner.
 */
const LOOKUP_AGE_MS = 1000;
/** How often, while closing, it is looked whether anyone waits, milliseconds. */
const CLOSING_LOOK_MS = 20;
/** Most commands in one lookup. */
const LOOKUP_LENGTH_MAX = 1000;

interface Waiter {
  readonly since: number;
  readonly wake: (outcome: Outcome | null) => void;
}

export class Waiters {
  private readonly waiting = new Map<string, Set<Waiter>>();
  private count = 0;
  private closed = false;
  private looking = false;
  private readonly lookups: NodeJS.Timeout;

  constructor(
    sender: Pick<CommandSender, 'onReply'>,
    private readonly outcomes: Outcomes,
    private readonly logger: Logger,
  ) {
    sender.onReply((outcome) => {
      if (!outcome.stale) this.settle(outcome);
      else if (this.waiting.has(outcome.commandId)) {
        void this.outcomes.show([outcome]).then(() => {
          this.settle(outcome);
        });
      }
    });
    this.lookups = setInterval(() => void this.lookUp(), LOOKUP_INTERVAL_MS);
    this.lookups.unref();
  }

  /**
   * The outcome when it comes within `waitMs`, else null. Start to wait before the command is
   * published: the reply may be faster than the confirm. `cancel` ends the wait early.
   */
  wait(
    commandId: string,
    waitMs: number,
  ): { readonly outcome: Promise<Outcome | null>; cancel(): void } {
    if (waitMs <= 0 || this.closed || this.count >= WAITERS_MAX)
      return { outcome: Promise.resolve(null), cancel: () => undefined };
    let cancel: () => void = () => undefined;
    const outcome = new Promise<Outcome | null>((resolve) => {
      const waiter: Waiter = {
        since: performance.now(),
        wake: (found) => {
          clearTimeout(timer);
          if (this.remove(commandId, waiter)) resolve(found);
        },
      };
      const timer = setTimeout(waiter.wake, waitMs, null);
      cancel = () => {
        waiter.wake(null);
      };
      const waiters = this.waiting.get(commandId);
      if (waiters) waiters.add(waiter);
      else this.waiting.set(commandId, new Set([waiter]));
      this.count += 1;
    });
    return {
      outcome,
      cancel: () => {
        cancel();
      },
    };
  }

  /**
   * Takes nobody any more; who still waits after `graceMs` is sent away with the command id instead
   * of the answer.
   */
  async close(graceMs: number): Promise<void> {
    this.closed = true;
    const deadline = performance.now() + graceMs;
    while (this.count > 0 && performance.now() < deadline) await pause(CLOSING_LOOK_MS);
    clearInterval(this.lookups);
    for (const waiters of [...this.waiting.values()])
      for (const waiter of [...waiters]) waiter.wake(null);
  }

  private settle(outcome: Outcome): void {
    for (const waiter of [...(this.waiting.get(outcome.commandId) ?? [])]) waiter.wake(outcome);
  }

  private remove(commandId: string, waiter: Waiter): boolean {
    const waiters = this.waiting.get(commandId);
    if (!waiters?.delete(waiter)) return false;
    if (waiters.size === 0) this.waiting.delete(commandId);
    this.count -= 1;
    return true;
  }

  private async lookUp(): Promise<void> {
    // A database that hangs is not asked again meanwhile.
    if (this.looking) return;
    const before = performance.now() - LOOKUP_AGE_MS;
    const overdue: string[] = [];
    for (const [commandId, waiters] of this.waiting) {
      if (overdue.length === LOOKUP_LENGTH_MAX) break;
      if ([...waiters].some(({ since }) => since < before)) overdue.push(commandId);
    }
    if (overdue.length === 0) return;
    this.looking = true;
    try {
      for (const outcome of await this.outcomes.find(overdue)) this.settle(outcome);
    } catch (error) {
      this.logger.warn({ err: error }, 'waiting commands not looked up');
    } finally {
      this.looking = false;
    }
  }
}
