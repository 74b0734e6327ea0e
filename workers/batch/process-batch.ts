import { setTimeout as pause } from 'node:timers/promises';
import type { Delivery } from '../../shared/messaging/transport';
import { batchFailures, partitionsWaiting } from '../metrics';
import { AfterCommit, type AfterCommitDependencies, type ForwardedCommands } from './after-commit';
import { BatchCommitter, type CommitDependencies, type UpNext } from './commit-batch';
import { DeadLetterWriter } from './failures/dead-letter-writer';
import { Evidence, symptomOf } from './failures/evidence';
import { Postponed } from './failures/postponed';
import { nextStep, PlanOutdated, reasonOf, REDO_MAX, retryPauseMs } from './failures/retry';
import type { Stall } from './failures/stall';
import { areSuspect, DEATHS_MAX, Suspects, type Part } from './failures/suspects';
import { WhileHeld } from './failures/while-held';
import {
  acknowledge,
  commandIdsOf,
  isHeld,
  runsOf,
  type CommandDelivery,
} from './ownership/deliveries';
import { BatchTimes } from './times';

/**
 * Carries out a batch: commits one transaction (`commit-batch.ts`), then invalidates caches and
 * replies outcomes (`after-commit.ts`), then acknowledges deliveries. After a crash anywhere in
 * between, deliveries come again and are answered from the stored outcomes.
 *
 * A failed batch is retried while its partitions are held. When there is evidence against its
 * commands (`retry.ts`), it is halved until a command fails alone. That command is postponed
 * (`postponed.ts`) while the others are carried out. It becomes a dead letter once the others speak
 * against it too (`evidence.ts`). A command that ends the process is found by `suspects.ts`.
 */

export interface BatchDependencies extends CommitDependencies, AfterCommitDependencies {
  readonly outgoing: ForwardedCommands;
  readonly stall: Stall;
}

export class BatchProcessor {
  private readonly evidence = new Evidence();
  private postponed = new Postponed();
  /** Why the system is taken to be at fault in this batch; null when it is not. */
  private systemFault: string | null = null;
  /** Batches in a row of which something was postponed. */
  private passes = 0;
  private readonly suspects: Suspects;
  private readonly committer: BatchCommitter;
  private readonly afterCommit: AfterCommit;
  private readonly whileHeld: WhileHeld;
  private readonly deadLetters: DeadLetterWriter;

  constructor(private readonly deps: BatchDependencies) {
    this.suspects = new Suspects(deps.begin);
    this.committer = new BatchCommitter(deps);
    this.afterCommit = new AfterCommit(deps);
    this.whileHeld = new WhileHeld(deps);
    this.deadLetters = new DeadLetterWriter(deps, this.whileHeld, this.afterCommit);
  }

  /** Ends waiting for servers that are unavailable; the batch stays unacknowledged. */
  stop(): void {
    this.whileHeld.stop();
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
    return this.whileHeld.isStopped ? [] : again;
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
    if (this.postponed.has(delivery) || !isHeld(delivery)) return true;
    if ('envelope' in message) return true;
    if (message.isLater) return this.leaveToOthers(delivery, message.malformed);
    const done = await this.deadLetters.write(delivery, message.header, message.malformed);
    if (done) this.acknowledge([delivery]);
    return done;
  }

  /** A command of a later release, with everything behind it in its partition. */
  private leaveToOthers(delivery: Delivery, reason: string): true {
    const { ownership, place } = delivery;
    ownership.waitsFrom = place;
    partitionsWaiting.inc();
    this.deps.logger.error(
      { partition: ownership.name, commandIds: commandIdsOf([delivery]), reason },
      'partition waits for a worker of a later release',
    );
    return true;
  }

  private async processSuspects(run: readonly CommandDelivery[]): Promise<boolean> {
    const parts = await this.whileHeld.untilServersAnswer(run, (held) =>
      this.suspects.markRun(held, this.deps.now()),
    );
    for (const part of parts ?? []) {
      if (!(await this.processPart(part))) return false;
      this.acknowledge(part.deliveries);
    }
    return parts !== null || !this.whileHeld.isStopped;
  }

  /** A part of the suspects, between its marks. */
  private async processPart(part: Part): Promise<boolean> {
    const { deliveries, deaths } = part;
    const [first] = deliveries;
    // Their marks stay, for they are not tried.
    if (deliveries.every((delivery) => this.postponed.waits(delivery))) return true;
    if (deaths >= DEATHS_MAX)
      return this.deadLetters.write(
        first,
        first.message.envelope,
        `${deaths} processes ended while they carried it out alone`,
      );
    if (deliveries.length === 1)
      await this.whileHeld.untilServersAnswer(deliveries, () =>
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
    for (let tries = 0, redone = 0; !this.whileHeld.isStopped; tries += 1) {
      const held = commands.filter((command) => isHeld(command) && !this.postponed.blocks(command));
      const [first] = held;
      if (!first) return true;
      try {
        if (await this.attempt(held, upNext)) return true;
      } catch (error) {
        // No failure: once more for each change of the rules.
        if (error instanceof PlanOutdated) continue;
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
        if (next === 'fenced') await this.whileHeld.releaseForeign(held);
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
    this.evidence.carriedOut(decided.fresh.map(({ outcome }) => outcome));
    await this.afterCommit.finish(held, decided, times);
    return true;
  }

  /** A command that failed alone. */
  private async judge(command: CommandDelivery, error: unknown): Promise<boolean> {
    const verdict = this.evidence.judge(command, error);
    if (verdict === 'command')
      return this.deadLetters.write(command, command.message.envelope, reasonOf(error));
    if (verdict === 'system')
      this.systemFault = `Commands of several aggregates fail alike: ${symptomOf(error)}`;
    this.postponed.add(command);
    return true;
  }

  /** In order, so that no command overtakes another of its aggregate. */
  private async carryOutHalves(held: readonly CommandDelivery[]): Promise<boolean> {
    const middle = Math.ceil(held.length / 2);
    for (const half of [held.slice(0, middle), held.slice(middle)]) {
      if (!(await this.carryOut(half))) return false;
    }
    return true;
  }
}
