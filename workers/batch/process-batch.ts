import { setTimeout as pause } from 'node:timers/promises';
import { createAuditLog } from '../../shared/audit/log';
import type { Cache } from '../../shared/cache/cache';
import type { Envelope, Outcome } from '../../shared/command';
import type { Logger } from '../../shared/logger';
import type { Delivery, WorkerLink } from '../../shared/messaging/transport';
import type { Tracing } from '../../shared/tracing';
import { batchCommands, batchFailures, commandsEnded, deadLetters } from '../metrics';
import { BatchCommitter, type CommitDependencies, type UpNext } from './commit-batch';
import { GivingUp } from './dead-letters';
import type { Decided } from './decide-batch';
import {
  acknowledge,
  commandIdsOf,
  epochsOf,
  isHeld,
  runsOf,
  type CommandDelivery,
} from './deliveries';
import { Evidence, symptomOf } from './evidence';
import { stillHeld } from './fence';
import { fenced } from './fenced';
import { groupBy } from './group';
import { Postponed } from './postponed';
import { nextStep, reasonOf, REDO_MAX, retryPauseMs } from './retry';
import type { Stall } from './stall';
import { areSuspect, clearStatement, DEATHS_MAX, Suspects, type Part } from './suspects';
import { BatchTimes } from './times';
import { traceBatch } from './trace-batch';
import type { StatementResult } from './transaction';

/**
 * Carries out a batch: commits one transaction (`commit-batch.ts`), then invalidates caches,
 * replies outcomes and acknowledges deliveries, in this order. After a crash anywhere in between,
 * deliveries come again and are answered from the stored outcomes.
 *
 * A failed batch is retried while its partitions are held. When there is evidence against its
 * commands (`retry.ts`), it is halved until a command fails alone. That command is postponed
 * (`postponed.ts`) while the others are carried out. It becomes a dead letter once the others speak
 * against it too (`evidence.ts`). A command that ends the process is found by `suspects.ts`.
 */

/** Where forwarded commands go, which the batch writes as rows: `workers/consumer/outgoing.ts`. */
export interface ForwardedCommands {
  /** No more may be added now. */
  readonly full: boolean;
  /** There are new rows. */
  nudge(): void;
}

export interface BatchDependencies extends CommitDependencies {
  readonly link: Pick<WorkerLink, 'reply'>;
  readonly outgoing: ForwardedCommands;
  readonly cache: Cache;
  readonly logger: Logger;
  readonly tracing: Tracing | null;
  readonly stall: Stall;
}

export class BatchProcessor {
  private stopping = false;
  private readonly evidence = new Evidence();
  private postponed = new Postponed();
  /** Why the system is taken to be at fault in this batch; null when it is not. */
  private systemFault: string | null = null;
  /** Batches in a row of which something was postponed. */
  private passes = 0;
  private readonly suspects: Suspects;
  private readonly committer: BatchCommitter;
  private readonly logAudit: ReturnType<typeof createAuditLog>;

  constructor(private readonly deps: BatchDependencies) {
    this.suspects = new Suspects(deps.begin);
    this.committer = new BatchCommitter(deps);
    this.logAudit = createAuditLog(deps.logger);
  }

  /** Ends waiting for servers that are away; the batch stays unacknowledged. */
  stop(): void {
    this.stopping = true;
  }

  /**
   * Processes deliveries, and resolves with those that must be processed again before any later
   * one. Every other is acknowledged, belongs to another worker, or was left for later by `stop`.
   * `upNext` gives the deliveries that are processed after these.
   */
  async process(deliveries: readonly Delivery[], upNext?: UpNext): Promise<readonly Delivery[]> {
    this.postponed = new Postponed();
    this.systemFault = null;
    const runs = runsOf(deliveries);
    for (const [index, run] of runs.entries()) {
      const ahead = index === runs.length - 1 && this.postponed.isEmpty ? upNext : undefined;
      const done = Array.isArray(run)
        ? await this.processRun(run as readonly CommandDelivery[], ahead)
        : await this.processMalformed(run as Delivery);
      if (!done) return [];
    }
    return this.again(deliveries);
  }

  /** What was postponed, after a pause. */
  private async again(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
    const again = deliveries.filter((delivery) => this.postponed.has(delivery));
    if (this.systemFault === null) this.deps.stall.ended();
    else this.deps.stall.failed(this.systemFault);
    if (again.length > 0) await pause(retryPauseMs(this.passes));
    this.passes = again.length > 0 ? this.passes + 1 : 0;
    return this.stopping ? [] : again;
  }

  private acknowledge(deliveries: readonly Delivery[]): void {
    acknowledge(deliveries.filter((delivery) => !this.postponed.has(delivery)));
  }

  private async processRun(
    run: readonly CommandDelivery[],
    upNext: UpNext | undefined,
  ): Promise<boolean> {
    if (areSuspect(run)) return this.processSuspects(run);
    const done = await this.carryOut(run, upNext);
    if (done) this.acknowledge(run);
    return done;
  }

  private async processMalformed(delivery: Delivery): Promise<boolean> {
    const { message } = delivery;
    if (this.postponed.has(delivery)) return true;
    const done =
      'envelope' in message || (await this.giveUp(delivery, message.header, message.malformed));
    if (done) this.acknowledge([delivery]);
    return done;
  }

  private async processSuspects(run: readonly CommandDelivery[]): Promise<boolean> {
    const parts = await this.untilServersAnswer(run, (held) =>
      this.suspects.markRun(held, this.deps.now()),
    );
    for (const part of parts ?? []) {
      if (!(await this.processPart(part))) return false;
      this.acknowledge(part.deliveries);
    }
    return parts !== null || !this.stopping;
  }

  /** A part of the suspects, between its marks. */
  private async processPart(part: Part): Promise<boolean> {
    const { deliveries, deaths } = part;
    const [first] = deliveries;
    // Their marks stay, for they are not tried.
    if (deliveries.every((delivery) => this.postponed.waits(delivery))) return true;
    if (deaths >= DEATHS_MAX)
      return this.giveUp(
        first,
        first.message.envelope,
        `${deaths} processes ended while they carried it out alone`,
      );
    if (deliveries.length === 1)
      await this.untilServersAnswer(deliveries, () =>
        this.suspects.markAlone(part, this.deps.now()),
      );
    const done = await this.carryOut(deliveries);
    // Also when it is left for later: this process lives. A mark that stays by mistake is found
    // with its command, or grows old.
    const tried = deliveries.filter((delivery) => !this.postponed.waits(delivery));
    await this.suspects.clear(tried).catch((error: unknown) => {
      this.deps.logger.warn(
        { err: error, commandIds: commandIdsOf(deliveries) },
        'marks of suspects not removed',
      );
    });
    return done;
  }

  /**
   * False when it was stopped before all was done; then nothing of the rest may be acknowledged.
   */
  private async carryOut(commands: readonly CommandDelivery[], upNext?: UpNext): Promise<boolean> {
    for (let tries = 0, redone = 0; !this.stopping; tries += 1) {
      const held = commands.filter((command) => isHeld(command) && !this.postponed.blocks(command));
      const [first] = held;
      if (!first) return true;
      try {
        if (await this.attempt(held, upNext)) return true;
      } catch (error) {
        const next = nextStep(error);
        batchFailures.inc({ next });
        this.deps.logger.warn(
          { err: error, next, commands: held.length, tries, commandIds: commandIdsOf(held) },
          'batch failed',
        );
        if (next === 'redo' && redone < REDO_MAX) {
          redone += 1;
          continue;
        }
        if (next === 'fenced') await this.releaseForeign(held);
        if (next !== 'retry' && next !== 'fenced' && held.length > 1)
          return this.carryOutHalves(held);
        if (next !== 'retry' && next !== 'fenced') return this.judge(first, error);
        if (next === 'retry') this.deps.stall.failed(reasonOf(error));
        await pause(retryPauseMs(tries));
        continue;
      }
      return this.carryOutHalves(held);
    }
    return false;
  }

  /** False when these are too many for one transaction. */
  private async attempt(held: readonly CommandDelivery[], upNext?: UpNext): Promise<boolean> {
    const times = new BatchTimes();
    const decided = await this.committer.commit(held, times, upNext);
    if (decided === 'split') return false;
    await this.finish(held, decided, times);
    this.tell(held, times);
    return true;
  }

  /** A command that failed alone. */
  private async judge(command: CommandDelivery, error: unknown): Promise<boolean> {
    const verdict = this.evidence.judge(command, error);
    if (verdict === 'command')
      return this.giveUp(command, command.message.envelope, reasonOf(error));
    if (verdict === 'system')
      this.systemFault = `Commands of several aggregates fail alike: ${symptomOf(error)}`;
    this.postponed.add(command);
    return true;
  }

  /** To the log and, when they are wanted, to the traces. */
  private tell(held: readonly CommandDelivery[], times: BatchTimes): void {
    const { logger, tracing } = this.deps;
    if (logger.isLevelEnabled('info'))
      logger.info(
        { commandIds: commandIdsOf(held), ms: Math.round(times.endOf('reply') - times.begun) },
        'batch committed',
      );
    if (tracing) traceBatch(tracing, held, times);
  }

  /** In order, so that no command overtakes another of its aggregate. */
  private async carryOutHalves(held: readonly CommandDelivery[]): Promise<boolean> {
    const middle = Math.ceil(held.length / 2);
    for (const half of [held.slice(0, middle), held.slice(middle)]) {
      if (!(await this.carryOut(half))) return false;
    }
    return true;
  }

  private async finish(
    held: readonly CommandDelivery[],
    decided: Decided,
    times: BatchTimes,
  ): Promise<void> {
    const committedAt = this.deps.now().getTime();
    const outcomes = new Map(decided.outcomes);
    this.logAudit(decided.audited);
    this.evidence.carriedOut(decided.fresh.map(({ outcome }) => outcome));
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
      this.deps.logger.warn({ err: error }, 'cache not reached');
      return false;
    }
  }

  /**
   * One message for each API instance that still waits. `stale` are the cache subjects that each
   * API has to tell the cache of first.
   */
  private reply(
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

  private async releaseForeign(held: readonly Delivery[]): Promise<void> {
    const mine = await stillHeld(epochsOf(held)).catch(() => null);
    if (!mine) return;
    for (const { hold } of held) if (!mine.has(hold.name)) hold.release();
  }

  /**
   * Makes a dead letter of a message, and stores that as the outcome of its command, so that its
   * sender is told.
   */
  private async giveUp(
    delivery: Delivery,
    header: Envelope | null,
    reason: string,
  ): Promise<boolean> {
    const { hold, content } = delivery;
    deadLetters.inc();
    this.deps.logger.error(
      { partition: hold.name, commandId: header?.commandId, reason },
      'message put aside as a dead letter',
    );
    const givingUp = new GivingUp(
      { partition: hold.name, content, header },
      reason,
      this.deps.now(),
    );
    const marks = header ? [clearStatement([header.commandId])] : [];
    const work = {
      reads: givingUp.reads,
      writes: (results: readonly StatementResult[]) => [...givingUp.writes(results), ...marks],
    };
    const results = await this.untilServersAnswer([delivery], (held) =>
      fenced(this.deps.begin, held, work),
    );
    // Without results it is somebody else's command by now and may succeed there, so nobody may be
    // told that it failed.
    if (header && results && givingUp.isTold(results))
      this.reply([header], new Map([[header.commandId, givingUp.outcome as Outcome]]));
    return results !== null || !this.stopping;
  }

  /**
   * What `work` comes to with those deliveries that are held; null when it was stopped, or when
   * none is held any more.
   */
  private async untilServersAnswer<Held extends Delivery, Result>(
    deliveries: readonly Held[],
    work: (held: readonly Held[]) => Promise<Result | null>,
  ): Promise<Result | null> {
    for (let tries = 0; !this.stopping; tries += 1) {
      const held = deliveries.filter(isHeld);
      if (held.length === 0) return null;
      try {
        const result = await work(held);
        if (result !== null) return result;
        await this.releaseForeign(held);
      } catch (error) {
        this.deps.logger.warn(
          { err: error, tries, commandIds: commandIdsOf(held) },
          'not stored yet',
        );
        this.deps.stall.failed(reasonOf(error));
        await pause(retryPauseMs(tries));
      }
    }
    return null;
  }
}

/** For Prometheus: what a batch that was committed came to. */
function measure(held: readonly CommandDelivery[], { fresh }: Decided): void {
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
