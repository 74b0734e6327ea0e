import { createAuditLog } from '../../shared/audit/log';
import type { Cache } from '../../shared/cache/cache';
import type { Envelope, Outcome } from '../../shared/command';
import type { Logger } from '../../shared/logger';
import type { WorkerLink } from '../../shared/messaging/transport';
import type { Tracing } from '../../shared/tracing';
import { batchCommands, commandsEnded } from '../metrics';
import type { BatchResult } from './decide-batch';
import { groupBy } from './group';
import { commandIdsOf, type CommandDelivery } from './ownership/deliveries';
import type { BatchTimes } from './times';
import { traceBatch } from './trace-batch';

/** Where forwarded commands go, which the batch writes as rows: `workers/consumer/outgoing.ts`. */
export interface ForwardedCommands {
  /** No more may be added now. */
  readonly full: boolean;
  /** There are new rows. */
  nudge(): void;
}

export interface AfterCommitDependencies {
  readonly link: Pick<WorkerLink, 'reply'>;
  readonly outgoing: Pick<ForwardedCommands, 'nudge'>;
  readonly cache: Cache;
  readonly logger: Logger;
  readonly tracing: Tracing;
  readonly now: () => Date;
}

/** What follows the commit of a batch: caches are invalidated, then clients get their replies. */
export class AfterCommit {
  private readonly logAudit: ReturnType<typeof createAuditLog>;

  constructor(private readonly deps: AfterCommitDependencies) {
    this.logAudit = createAuditLog(deps.logger);
  }

  /** Invalidates, replies and logs. The deliveries may be acknowledged afterwards. */
  async finish(
    held: readonly CommandDelivery[],
    decided: BatchResult,
    times: BatchTimes,
  ): Promise<void> {
    const committedAt = this.deps.now().getTime();
    const outcomes = new Map(decided.outcomes);
    this.logAudit(decided.audited);
    for (const { outcome } of decided.fresh)
      outcomes.set(outcome.commandId, { ...outcome, committedAt });
    const stale = (await this.invalidate(decided.subjects))
      ? new Map<string, string[]>()
      : decided.changed;
    if (decided.forwards.length > 0) this.deps.outgoing.nudge();
    measure(held, decided);
    this.reply(
      held.map(({ message }) => message.envelope),
      outcomes,
      stale,
    );
    times.ended('reply');
    this.tell(held, times);
  }

  /**
   * False when the cache cannot be reached. Then the batches go on, and the replies leave it to the
   * APIs, which have the time to wait for it.
   */
  private async invalidate(subjects: readonly string[]): Promise<boolean> {
    if (subjects.length === 0) return true;
    try {
      await this.deps.cache.bump(subjects);
      return true;
    } catch (error) {
      this.deps.logger.warn({ err: error }, 'cache unavailable');
      return false;
    }
  }

  /**
   * One message for each API instance that still waits. `stale` are the cache subjects that each
   * API has to tell the cache of first.
   */
  reply(
    envelopes: readonly Envelope[],
    outcomes: ReadonlyMap<string, Outcome>,
    stale: ReadonlyMap<string, readonly string[]> = new Map(),
  ): void {
    const told = ({ commandId }: Envelope): Outcome => ({
      ...(outcomes.get(commandId) as Outcome),
      ...(stale.has(commandId) && { stale: stale.get(commandId) ?? [] }),
    });
    const now = this.deps.now().getTime();
    const waiting = envelopes.filter(
      ({ replyBy, commandId }) => replyBy >= now && outcomes.has(commandId),
    );
    for (const [replyTo, theirs] of groupBy(waiting, (envelope) => envelope.replyTo)) {
      this.deps.link.reply(replyTo, theirs.map(told));
    }
  }

  /** To the log and, when they are wanted, to the traces. */
  private tell(held: readonly CommandDelivery[], times: BatchTimes): void {
    const { logger, tracing } = this.deps;
    if (logger.isLevelEnabled('info'))
      logger.info(
        { commandIds: commandIdsOf(held), ms: Math.round(times.endOf('reply') - times.begun) },
        'batch committed',
      );
    if (tracing.isRecording) traceBatch(tracing, held, times);
  }
}

/** For Prometheus: what a batch that was committed came to. */
function measure(held: readonly CommandDelivery[], { fresh }: BatchResult): void {
  batchCommands.observe(held.length);
  for (const [type, outcomes] of groupBy(fresh, ({ outcome }) => outcome.type)) {
    const succeeded = outcomes.filter(
      ({ outcome: { ending } }) => ending.status === 'succeeded',
    ).length;
    if (succeeded > 0) commandsEnded.inc({ type, ending: 'succeeded' }, succeeded);
    if (succeeded < outcomes.length)
      commandsEnded.inc({ type, ending: 'refused' }, outcomes.length - succeeded);
  }
}
