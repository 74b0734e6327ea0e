import { setTimeout as pause } from 'node:timers/promises';
import type { Cache } from '../../shared/cache/cache';
import { COMMAND_FAILED, type Envelope, type Outcome } from '../../shared/command';
import { CommandOutcome, Outbox } from '../../shared/database/tables';
import type { Logger } from '../../shared/logger';
import { serviceOf } from '../../shared/messaging/topology';
import type { Delivery, WorkerLink } from '../../shared/messaging/transport';
import type { ServiceName } from '../../shared/services';
import type { Actors } from './actors';
import { decideBatch, outcomeRow, type Decided } from './decide-batch';
import type { WorkerService } from './decision';
import { FencedOut, fenceStatement, stillHeld, type HeldEpoch } from './fence';
import { groupBy } from './group';
import type { IdBlocks } from './ids';
import { nextStep, POISON_TRIES_MAX, REDO_MAX, retryPauseMs } from './retry';
import { insert, insertIgnoring, placeholders } from './statements';
import type { BatchTransaction, BeginBatch, Statement, StatementResult } from './transaction';

/**
 * Carries out a batch: one transaction with the fence, the changed rows, the outcomes and the events; then, in this
 * order, the caches are invalidated, the outcomes replied and the deliveries acknowledged. A crash anywhere in between
 * leads to redelivery, and what was committed is then answered from its stored outcome.
 *
 * A batch that fails is tried again for as long as its partitions are held, unless one of its commands is at fault:
 * the batch is then halved until that command stands alone, and becomes a dead letter.
 */

/** Most ids, and so most new rows of one kind, in one transaction; a batch that needs more is halved. */
const IDS_PER_BATCH_MAX = 5000;

/** How often a cache that cannot be reached is asked again to forget, before the replies go out all the same. */
const BUMP_TRIES_MAX = 3;

export interface BatchDependencies {
  readonly begin: BeginBatch;
  readonly services: Record<ServiceName, WorkerService>;
  readonly ids: IdBlocks;
  readonly actors: Actors;
  readonly link: WorkerLink;
  readonly cache: Cache;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** A delivery whose message is a command. */
type CommandDelivery = Delivery & { readonly message: { readonly envelope: Envelope } };

const isCommand = (delivery: Delivery): delivery is CommandDelivery => 'envelope' in delivery.message;
const isHeld = ({ hold }: Delivery): boolean => !hold.lost;

class TooManyRows extends Error {}

export class BatchProcessor {
  private stopping = false;

  constructor(private readonly deps: BatchDependencies) {}

  /** Ends waiting for servers that are away; the batch stays unacknowledged. */
  stop(): void {
    this.stopping = true;
  }

  /** Resolves when every delivery is acknowledged, or belongs to somebody else, or is left for later by `stop`. */
  async process(deliveries: readonly Delivery[]): Promise<void> {
    for (const delivery of deliveries) {
      if (!isCommand(delivery)) await this.putAside(delivery, (delivery.message as { malformed: string }).malformed);
    }
    if (await this.carryOut(deliveries.filter(isCommand))) acknowledge(deliveries);
  }

  /** False when it was stopped before all was done; then nothing of the rest may be acknowledged. */
  private async carryOut(commands: readonly CommandDelivery[]): Promise<boolean> {
    for (let tries = 0, redone = 0, broken = 0; !this.stopping; tries += 1) {
      const held = commands.filter(isHeld);
      const [first] = held;
      if (!first) return true;
      try {
        await this.finish(held, await this.commit(held));
        return true;
      } catch (error) {
        const next = nextStep(error);
        this.deps.logger.warn({ err: error, next, commands: held.length, tries }, 'batch failed');
        if (next === 'redo' && redone < REDO_MAX) {
          redone += 1;
          continue;
        }
        if (next === 'fenced') await this.releaseForeign(held);
        if (next === 'isolate' || next === 'redo') {
          if (held.length > 1) return this.carryOutHalves(held);
          broken += 1;
          if (broken === POISON_TRIES_MAX) return this.giveUp(first, error);
        }
        await pause(retryPauseMs(tries));
      }
    }
    return false;
  }

  /** In order, so that no command overtakes another of its aggregate. */
  private async carryOutHalves(held: readonly CommandDelivery[]): Promise<boolean> {
    const middle = Math.ceil(held.length / 2);
    for (const half of [held.slice(0, middle), held.slice(middle)]) {
      if (!(await this.carryOut(half))) return false;
    }
    return true;
  }

  private async commit(held: readonly CommandDelivery[]): Promise<Decided> {
    const { begin, actors } = this.deps;
    const envelopes = held.map(({ message }) => message.envelope);
    const now = this.deps.now();
    const groups = await this.planned(envelopes);
    const actorStatements = actors.statements(envelopes, now);
    const epochs = epochsOf(held);
    const head = [fenceStatement(epochs), knownOutcomes(envelopes), ...actorStatements];
    const { transaction, results } = await begin([...head, ...groups.flatMap(({ plan }) => plan.reads)]);
    try {
      const [fence, known, ...rest] = results as [StatementResult, StatementResult, ...StatementResult[]];
      if (fence.affected !== epochs.length) throw new FencedOut('a partition of the batch was taken over');
      actors.load(rest.slice(0, actorStatements.length).at(-1)?.rows ?? []);
      const context = { now, takeId: (kind: Parameters<IdBlocks['take']>[0]) => this.deps.ids.take(kind) };
      const decided = decideBatch(envelopes, known.rows, openGroups(groups, rest.slice(actorStatements.length)), context);
      await writeAndCommit(transaction, decided);
      actors.remember();
      return decided;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  /** The services that the batch concerns, each with the plan for its commands; ids are reserved for all of them. */
  private async planned(envelopes: readonly Envelope[]) {
    const { ids, services } = this.deps;
    const byService = groupBy(envelopes, ({ type }) => serviceOf(type));
    let rows = 0;
    for (const [service, commands] of byService) {
      for (const [kind, count] of Object.entries(services[service].idsNeeded(commands)) as [Parameters<IdBlocks['reserve']>[0], number][]) {
        rows += count;
        await ids.reserve(kind, count);
      }
    }
    if (rows > IDS_PER_BATCH_MAX && envelopes.length > 1) throw new TooManyRows(`the batch may make ${rows} rows`);
    return [...byService].map(([service, commands]) => ({ service, plan: services[service].plan(commands, (kind, count) => ids.upcoming(kind, count)) }));
  }

  private async finish(held: readonly CommandDelivery[], decided: Decided): Promise<void> {
    await this.invalidate(decided.subjects);
    for (const envelope of decided.forwards) await this.deps.link.forward(envelope);
    this.reply(held, decided.outcomes);
  }

  private async invalidate(subjects: readonly string[]): Promise<void> {
    if (subjects.length === 0) return;
    for (let tries = 1; ; tries += 1) {
      try {
        await this.deps.cache.bump(subjects);
        return;
      } catch (error) {
        this.deps.logger.warn({ err: error, tries }, 'cache not reached');
        if (tries === BUMP_TRIES_MAX) return;
        await pause(retryPauseMs(tries));
      }
    }
  }

  /** One message for each API instance that still waits. */
  private reply(held: readonly CommandDelivery[], outcomes: ReadonlyMap<string, Outcome>): void {
    const now = Date.now();
    const waiting = held.map(({ message }) => message.envelope).filter(({ replyBy, commandId }) => replyBy >= now && outcomes.has(commandId));
    for (const [replyTo, envelopes] of groupBy(waiting, (envelope) => envelope.replyTo)) {
      this.deps.link.reply(replyTo, envelopes.map(({ commandId }) => outcomes.get(commandId)).filter((outcome) => outcome !== undefined));
    }
  }

  private async releaseForeign(held: readonly CommandDelivery[]): Promise<void> {
    const mine = await stillHeld(epochsOf(held)).catch(() => null);
    if (!mine) return;
    for (const { hold } of held) if (!mine.has(hold.name)) hold.release();
  }

  /** Dead-letters a command that cannot be carried out, and stores that as its outcome, so that its sender is told. */
  private async giveUp(delivery: CommandDelivery, error: unknown): Promise<boolean> {
    const { envelope } = delivery.message;
    if (!(await this.putAside(delivery, error instanceof Error ? `${error.name}: ${error.message}` : String(error)))) return false;
    const outcome: Outcome = {
      commandId: envelope.commandId,
      type: envelope.type,
      ownerId: envelope.actor.userId,
      requestId: envelope.requestId,
      createdAt: envelope.createdAt,
      completedAt: this.deps.now().getTime(),
      ending: { status: 'failed', refusal: { code: COMMAND_FAILED, detail: 'The command could not be carried out; it was put aside for an operator.' } },
    };
    const end = { stored: false };
    const ended = await this.untilServersAnswer(delivery, async () => {
      end.stored = await this.storeFenced(delivery, insertIgnoring(CommandOutcome, [outcomeRow(outcome)]));
    });
    // Else it is somebody else's command by now and may succeed there, so nobody may be told that it failed.
    if (end.stored) this.reply([delivery], new Map([[outcome.commandId, outcome]]));
    else if (ended && isHeld(delivery)) await this.releaseForeign([delivery]);
    return ended;
  }

  /** False when the partition of the delivery belongs to somebody else, and then nothing is written. */
  private async storeFenced(delivery: Delivery, writes: readonly Statement[]): Promise<boolean> {
    const { transaction, results } = await this.deps.begin([fenceStatement(epochsOf([delivery]))]);
    try {
      const held = results[0]?.affected === 1;
      await transaction.commit(held ? writes : []);
      return held;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  private async putAside(delivery: Delivery, reason: string): Promise<boolean> {
    this.deps.logger.error({ partition: delivery.hold.name, reason }, 'command put aside as a dead letter');
    return this.untilServersAnswer(delivery, () => this.deps.link.deadLetter(delivery.hold.name, delivery.content, reason));
  }

  /** False when it was stopped, true when done or when the delivery belongs to somebody else. */
  private async untilServersAnswer(delivery: Delivery, work: () => Promise<void>): Promise<boolean> {
    for (let tries = 0; !this.stopping; tries += 1) {
      if (!isHeld(delivery)) return true;
      try {
        await work();
        return true;
      } catch (error) {
        this.deps.logger.warn({ err: error, tries }, 'dead letter not stored yet');
        await pause(retryPauseMs(tries));
      }
    }
    return false;
  }
}

function epochsOf(deliveries: readonly Delivery[]): HeldEpoch[] {
  const epochs = new Map(deliveries.map(({ hold }) => [hold.name, hold.epoch]));
  return [...epochs].map(([name, epoch]) => {
    if (epoch === null) throw new Error(`partition ${name} was not taken over`);
    return { name, epoch };
  });
}

function knownOutcomes(envelopes: readonly Envelope[]): Statement {
  const columns = 'command_id, type, owner_id, request_id, ending, created_at, completed_at';
  return { sql: `SELECT ${columns} FROM command_outcome WHERE command_id IN (${placeholders(envelopes.length)})`, values: envelopes.map(({ commandId }) => commandId) };
}

/** Gives each plan its part of the results. */
function openGroups(groups: readonly { service: ServiceName; plan: ReturnType<WorkerService['plan']> }[], results: readonly StatementResult[]) {
  let start = 0;
  return new Map(
    groups.map(({ service, plan }) => {
      const work = plan.open(results.slice(start, start + plan.reads.length));
      start += plan.reads.length;
      return [service, work] as const;
    }),
  );
}

async function writeAndCommit(transaction: BatchTransaction, decided: Decided): Promise<void> {
  const outcomes = insert(CommandOutcome, decided.fresh.map(outcomeRow));
  await transaction.commit([...decided.writes, ...outcomes, ...insert(Outbox, decided.events)]);
}

/** Takes each partition's part of the batch off its queue; the last delivery stands for all before it. */
function acknowledge(deliveries: readonly Delivery[]): void {
  const last = new Map(deliveries.map((delivery) => [delivery.hold, delivery]));
  for (const [hold, delivery] of last) if (!hold.lost) hold.ack(delivery);
}
