import type { Envelope } from '../../shared/command';
import { serviceOf } from '../../shared/messaging/topology';
import { recordsOf } from './batch-records';
import type { Actors, BatchActors } from './service/actors';
import { decideBatch, type BatchResult, type BatchCommand } from './decide-batch';
import { serviceNamed, type Plan, type WorkerServices } from './service/decision';
import { epochsOf, type CommandDelivery } from './ownership/deliveries';
import { FencedOut, fenceStatement } from './ownership/fence';
import { groupBy } from './group';
import type { IdBlocks } from './service/ids';
import { demandOf, type Demand, type IdKind } from './service/needs';
import { knownOutcomes } from './service/outcome';
import { Quarantine, quarantineStatement } from './failures/quarantine';
import { blamingCommands } from './failures/retry';
import type { BatchTimes } from './times';
import type { BatchTransaction, BeginBatch, Statement, StatementResult } from './sql/transaction';

/**
 * Commits a batch in one transaction: checks the fence, reads outcomes and state, decides the
 * commands, and writes rows, outcomes and events. The reads of the next batch are sent along with
 * the commit.
 */

/**
 * Most ids, and so most new rows, in one transaction; a batch that needs more is halved.
 */
const IDS_PER_BATCH_MAX = 5000;
/**
 * Most characters of text in one transaction. They are written three times (row, outcome, event)
 * and escaped on the way, and all must fit into the 16 MiB that MariaDB takes as one packet.
 */
const CHARACTERS_PER_BATCH_MAX = 500_000;

/** Whether commands must be halved. A single one never is too much. */
const isTooMuch = ({ alone, rows, characters }: Demand): boolean =>
  alone || rows > IDS_PER_BATCH_MAX || characters > CHARACTERS_PER_BATCH_MAX;

export interface CommitDependencies {
  readonly begin: BeginBatch;
  readonly services: WorkerServices;
  readonly ids: IdBlocks;
  readonly actors: Actors;
  /** No more commands may be forwarded while it is full. */
  readonly outgoing: { readonly full: boolean };
  readonly now: () => Date;
  /** Its name. */
  readonly worker: string;
}

/**
 * The commands of the next batch, for which its reads may be pipelined; none when that batch is
 * not known yet.
 */
export type UpNext = () => readonly CommandDelivery[];

interface Prepared {
  readonly commands: readonly CommandDelivery[];
  /** How many ids of each kind it may take. */
  readonly ids: Demand['ids'];
  readonly partitions: number;
  readonly actors: BatchActors;
  readonly groups: readonly { readonly service: string; readonly plan: Plan }[];
  /** What its transaction begins with. */
  readonly first: readonly Statement[];
}

export class BatchCommitter {
  /** The batch whose reads were sent with the last commit. */
  private pipelined: Prepared | null = null;

  constructor(private readonly deps: CommitDependencies) {}

  /**
   * Resolves with `split` when the commands are too much for one transaction.
   * @throws what keeps the batch from being committed; it may be committed all the same when the
   * answer to that was lost.
   */
  async commit(
    commands: readonly CommandDelivery[],
    times: BatchTimes,
    upNext?: UpNext,
  ): Promise<BatchResult | 'split'> {
    const { actors, ids, outgoing } = this.deps;
    const prepared = this.takePipelined(commands) ?? (await this.prepare(commands));
    if (!prepared) return 'split';
    const { transaction, results } = await this.deps.begin(prepared.first);
    times.ended('read');
    let decided: BatchResult;
    try {
      const [fence, known, letters, ...rest] = results as [
        StatementResult,
        StatementResult,
        StatementResult,
        ...StatementResult[],
      ];
      if (fence.affected !== prepared.partitions)
        throw new FencedOut('a partition of the batch was taken over');
      const ofActors = prepared.actors.statements.length;
      actors.open(prepared.actors, rest.slice(0, ofActors).at(-1)?.rows ?? []);
      const now = this.deps.now();
      const context = {
        now,
        takeId: ids.taker(prepared.ids),
        known: known.rows,
        quarantine: new Quarantine(letters.rows),
        isGone: (actor: Envelope['actor']) => actors.isGone(actor),
        forwardsFull: outgoing.full,
      };
      decided = blamingCommands(() =>
        decideBatch(
          givenBy(commands, now),
          openGroups(prepared.groups, rest.slice(ofActors)),
          context,
        ),
      );
      times.ended('decide');
      await this.write(transaction, decided, upNext);
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
    times.ended('commit');
    actors.remember(prepared.actors);
    return decided;
  }

  private async write(
    transaction: BatchTransaction,
    decided: BatchResult,
    upNext: UpNext | undefined,
  ): Promise<void> {
    const next = transaction.commitAndBegin ? (upNext?.() ?? []) : [];
    // When many commands wait, MySQL writes the changed rows while the rest of the batch is made
    // ready.
    const early = next.length > 0 && decided.writes.length > 0;
    if (early) transaction.send?.(decided.writes);
    const writes = [
      ...(early ? [] : decided.writes),
      ...blamingCommands(() => recordsOf(decided, this.deps.now(), this.deps.worker)),
    ];
    // What keeps it from being prepared is told when it is its turn.
    const prepared = next.length > 0 ? await this.prepare(next).catch(() => null) : null;
    if (!transaction.commitAndBegin || !prepared) {
      await transaction.commit(writes);
      return;
    }
    await transaction.commitAndBegin(writes, prepared.first);
    this.pipelined = prepared;
  }

  /** What was pipelined for these commands; for others it is of no use any more. */
  private takePipelined(commands: readonly CommandDelivery[]): Prepared | null {
    const { pipelined } = this;
    this.pipelined = null;
    const same =
      pipelined?.commands.length === commands.length &&
      commands.every((command, index) => command === pipelined.commands[index]);
    return same ? pipelined : null;
  }

  /**
   * Plans what the commands have to read, and reserves ids for all of them; null when they are too
   * much for one transaction.
   */
  private async prepare(commands: readonly CommandDelivery[]): Promise<Prepared | null> {
    const { ids, services } = this.deps;
    const envelopes = commands.map(({ message }) => message.envelope);
    const serviceOfType = ({ type }: Envelope) => serviceOf(type);
    const demand = blamingCommands(() =>
      demandOf(envelopes, (envelope) => serviceNamed(services, serviceOfType(envelope)).needs),
    );
    if (commands.length > 1 && isTooMuch(demand)) return null;
    for (const [kind, count] of demand.ids) await ids.reserve(kind, count);
    const upcoming = (kind: IdKind) => ids.upcoming(kind, demand.ids.get(kind) ?? 0);
    const groups = [...groupBy(envelopes, serviceOfType)].map(([service, ofService]) => ({
      service,
      plan: blamingCommands(() => serviceNamed(services, service).plan(ofService, upcoming)),
    }));
    const epochs = epochsOf(commands);
    const actors = this.deps.actors.of(envelopes, this.deps.now());
    const first = [
      fenceStatement(epochs),
      knownOutcomes(envelopes),
      quarantineStatement(envelopes),
      ...actors.statements,
      ...groups.flatMap(({ plan }) => plan.reads),
    ];
    return { commands, ids: demand.ids, partitions: epochs.length, actors, groups, first };
  }
}

/**
 * The commands of a batch, with the instants at which they were taken, as of which
 * `performance.now()` is known, by the database's clock.
 */
function givenBy(commands: readonly CommandDelivery[], now: Date): BatchCommand[] {
  const ahead = now.getTime() - performance.now();
  return commands.map(({ message, ownership, takenAt }) => ({
    envelope: message.envelope,
    partition: ownership.name,
    takenAt: Math.floor(takenAt + ahead),
  }));
}

/** Gives each plan its part of the results. */
function openGroups(groups: Prepared['groups'], results: readonly StatementResult[]) {
  let start = 0;
  return new Map(
    groups.map(({ service, plan }) => {
      const work = plan.open(results.slice(start, start + plan.reads.length));
      start += plan.reads.length;
      return [service, work] as const;
    }),
  );
}
