import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import type { Sequelize } from 'sequelize-typescript';
import type { Cache } from '../../../shared/cache/cache';
import type { Envelope, Outcome } from '../../../shared/command';
import { encodeEnvelope } from '../../../shared/messaging/envelope';
import { partitionFor as partitionOfCommand } from '../../../shared/messaging/topology';
import type { Delivery, PartitionOwnership, WorkerLink } from '../../../shared/messaging/transport';
import { services as sharedServices } from '../../../shared/services';
import { Actors } from '../../../workers/batch/service/actors';
import type { WorkerService } from '../../../workers/batch/service/decision';
import type { CommandDelivery } from '../../../workers/batch/ownership/deliveries';
import { takeOver } from '../../../workers/batch/ownership/fence';
import { IdBlocks } from '../../../workers/batch/service/ids';
import { BatchProcessor } from '../../../workers/batch/process-batch';
import { Stall } from '../../../workers/batch/failures/stall';
import { batchTransactions } from '../../../workers/batch/sql/dialects';
import type {
  BatchTransaction,
  BatchTransactions,
  BeginBatch,
} from '../../../workers/batch/sql/transaction';
import { Outgoing } from '../../../workers/consumer/outgoing';
import { coursesBelongings } from '../../../workers/courses/belongings';
import { coursesService } from '../../../workers/courses/service';
import { identityService } from '../../../workers/identity/service';
import { lendingBelongings } from '../../../workers/lending/belongings';
import type { LendingRules } from '../../../workers/lending/decided';
import { lendingService } from '../../../workers/lending/service';
import { postsService } from '../../../workers/posts/service';
import { PARTITIONS } from '../../support/database';

/**
 * The batch path on a real database, between recorders. Its queue is as strict with
 * acknowledgements as a broker, its link and cache record what they are asked for, and hooks run
 * between the two round trips of a batch.
 */

const silent = pino({ level: 'silent' });
const partitionFor = (envelope: Envelope) =>
  partitionOfCommand(envelope, { generation: 1, partitions: PARTITIONS });

/** What happened outside of the database, in order. */
export type Call =
  | { readonly kind: 'bump'; readonly subjects: readonly string[] }
  | { readonly kind: 'reply'; readonly replyTo: string; readonly outcomes: readonly Outcome[] }
  | { readonly kind: 'forward'; readonly envelope: Envelope }
  | { readonly kind: 'ack'; readonly partition: string; readonly places: readonly number[] };

/** Places where a test can step in; each is called every time. */
export interface Hooks {
  /** Before the first round trip. */
  begin?: () => Promise<void> | void;
  /** Between the round trips: everything is read and decided, nothing is written. */
  between?: (transaction: BatchTransaction) => Promise<void> | void;
  /** After COMMIT, before anything else. */
  committed?: () => Promise<void> | void;
  bump?: () => Promise<void> | void;
  forward?: (envelope: Envelope) => Promise<void> | void;
}

/** One partition as a worker holds it. */
class RecordedOwnership implements PartitionOwnership {
  epoch: number | null = null;
  lost = false;
  waitsFrom: number | null = null;
  private outstanding: number[] = [];

  constructor(
    readonly name: string,
    private readonly calls: Call[],
  ) {}

  give(place: number): void {
    this.outstanding.push(place);
  }

  get unacknowledged(): readonly number[] {
    return this.outstanding;
  }

  /** A broker closes the channel on what it does not wait for. */
  ack({ place }: Delivery): void {
    if (!this.outstanding.includes(place))
      throw new Error(`PRECONDITION_FAILED: unknown delivery ${place} of ${this.name}`);
    this.calls.push({
      kind: 'ack',
      partition: this.name,
      places: this.outstanding.filter((other) => other <= place),
    });
    this.outstanding = this.outstanding.filter((other) => other > place);
  }

  release(): void {
    this.lost = true;
  }
}

export interface RigOptions {
  readonly database: Sequelize;
  readonly rules?: Partial<LendingRules>;
  readonly now?: () => Date;
  /** Puts something in front of the lending service. */
  readonly wrapLending?: (service: WorkerService) => WorkerService;
}

const rigs: Rig[] = [];

afterEach(async () => {
  for (const rig of rigs) await rig.end();
});

/**
 * A worker. Two on one database are two workers: each has its own memory and takes its partitions
 * over.
 */
export class Rig {
  readonly calls: Call[] = [];
  readonly hooks: Hooks = {};
  readonly processor: BatchProcessor;
  readonly outgoing: Outgoing;
  readonly ids: IdBlocks;
  readonly stall = new Stall();
  readonly name = `rig-${randomUUID().slice(0, 8)}`;
  readonly transactions: BatchTransactions;
  private readonly ownerships = new Map<string, RecordedOwnership>();
  private places = 0;

  constructor(private readonly options: RigOptions) {
    const { database, rules, now = () => new Date(), wrapLending = (service) => service } = options;
    const lockRows = database.getDialect() !== 'sqlite';
    const actors = new Actors();
    const lending = lendingService({
      rules: { loanDays: 14, maxOpenBorrows: 0, holdPickupDays: 3, dueSoonDays: 2, ...rules },
      usernameOf: (userId) => actors.usernameOf(userId),
      lockRows,
    });
    const services: Record<string, WorkerService> = {
      identity: identityService({
        belongings: [...lendingBelongings, ...coursesBelongings],
        lockRows,
      }),
      lending: wrapLending(lending),
      posts: postsService({ lockRows }),
      courses: coursesService({ lockRows }),
    };
    this.ids = new IdBlocks(database);
    this.transactions = batchTransactions(database, this.name);
    rigs.push(this);
    const link = this.link();
    this.outgoing = new Outgoing({ database, link, logger: silent });
    this.processor = new BatchProcessor({
      begin: this.begin(),
      services,
      ids: this.ids,
      actors,
      link,
      outgoing: this.outgoing,
      cache: this.cache(),
      logger: silent,
      tracing: null,
      stall: this.stall,
      now,
      worker: this.name,
    });
  }

  /** The commands as they come out of their queues. */
  async deliver(envelopes: readonly Envelope[], redeliveries = 0): Promise<Delivery[]> {
    const deliveries: Delivery[] = [];
    for (const envelope of envelopes) {
      const partition = partitionFor(envelope);
      deliveries.push(await this.deliverText(partition, encodeEnvelope(envelope), redeliveries));
    }
    return deliveries;
  }

  async deliverText(partition: string, content: string, redeliveries = 0): Promise<Delivery> {
    const ownership = await this.held(partition);
    const place = (this.places += 1);
    ownership.give(place);
    return {
      ownership,
      place,
      takenAt: performance.now(),
      redeliveries,
      bytes: Buffer.byteLength(content),
      content,
      message: sharedServices.decode(content),
    };
  }

  /** Gives its connection back; another batch would take a new one. */
  end(): Promise<void> {
    return this.transactions.close();
  }

  /** Carries the commands out as one batch, and brings to their queues what it forwards. */
  async process(envelopes: readonly Envelope[]): Promise<void> {
    await this.processAll(await this.deliver(envelopes));
    await this.outgoing.settled();
  }

  /** Carries deliveries out, again and again what is postponed, as the pump does. */
  async processAll(deliveries: readonly Delivery[]): Promise<void> {
    for (let left = deliveries; left.length > 0;) left = await this.processor.process(left);
  }

  /**
   * Carries batches out one after the other, each of which is known when the one before it is
   * committed; `before` is called before each.
   */
  async processInTurn(
    batches: readonly (readonly Envelope[])[],
    before: (index: number) => void = () => undefined,
  ): Promise<void> {
    let deliveries = await this.deliver(batches[0] ?? []);
    for (const index of batches.keys()) {
      const next = await this.deliver(batches[index + 1] ?? []);
      before(index);
      await this.processor.process(deliveries, () => next as CommandDelivery[]);
      await this.outgoing.settled();
      deliveries = next;
    }
  }

  /** The ownership of a partition, taken over when it is not held. */
  async held(partition: string): Promise<RecordedOwnership> {
    const known = this.ownerships.get(partition);
    if (known && !known.lost) return known;
    const ownership = new RecordedOwnership(partition, this.calls);
    const [taken] = await takeOver(this.options.database, this.name, [partition]);
    ownership.epoch = taken?.epoch ?? null;
    this.ownerships.set(partition, ownership);
    return ownership;
  }

  /** What the queues still wait for. */
  get unacknowledged(): number[] {
    return [...this.ownerships.values()].flatMap((ownership) => [...ownership.unacknowledged]);
  }

  kinds(): string[] {
    return this.calls.map(({ kind }) => kind);
  }

  of<Kind extends Call['kind']>(kind: Kind): Extract<Call, { kind: Kind }>[] {
    return this.calls.filter((call): call is Extract<Call, { kind: Kind }> => call.kind === kind);
  }

  /** The outcomes that were replied, by command id; the last when there were several. */
  replied(): Map<string, Outcome> {
    return new Map(
      this.of('reply').flatMap(({ outcomes }) =>
        outcomes.map((outcome) => [outcome.commandId, outcome] as const),
      ),
    );
  }

  /**
   * How each command ended, in short: `created`, `done` or the code of the refusal; undefined
   * without a reply.
   */
  endings(envelopes: readonly Envelope[]): (string | undefined)[] {
    const replied = this.replied();
    return envelopes.map(({ commandId }) => {
      const ending = replied.get(commandId)?.ending;
      if (ending?.status === 'failed') return ending.refusal.code;
      return ending && (ending.created ? 'created' : 'done');
    });
  }

  /** What the client gets for a command that succeeded. */
  result(envelope: Envelope): Record<string, number> {
    const ending = this.replied().get(envelope.commandId)?.ending;
    if (ending?.status !== 'succeeded')
      throw new Error(`${envelope.type} came to ${JSON.stringify(ending)}`);
    return JSON.parse(ending.result ?? 'null') as Record<string, number>;
  }

  private begin(): BeginBatch {
    const { begin } = this.transactions;
    return async (statements) => {
      await this.hooks.begin?.();
      const { transaction, results } = await begin(statements);
      const hooked = async (commit: () => Promise<void>) => {
        await this.hooks.between?.(transaction);
        await commit();
        await this.hooks.committed?.();
      };
      const both = {
        commit: (...writes: Parameters<BatchTransaction['commit']>) =>
          hooked(() => transaction.commit(...writes)),
        commitAndBegin: (
          ...statements: Parameters<NonNullable<BatchTransaction['commitAndBegin']>>
        ) => hooked(() => transaction.commitAndBegin?.(...statements) ?? Promise.resolve()),
      };
      return {
        transaction: {
          ...transaction,
          ...(transaction.commitAndBegin ? both : { commit: both.commit }),
        },
        results,
      };
    };
  }

  private link(): WorkerLink {
    return {
      reply: (replyTo, outcomes) => {
        this.calls.push({ kind: 'reply', replyTo, outcomes });
      },
      forward: async (envelope) => {
        await this.hooks.forward?.(envelope);
        this.calls.push({ kind: 'forward', envelope });
      },
      partitionFor,
      publishEvents: () => Promise.resolve(),
    };
  }

  private cache(): Cache {
    return {
      get: () => Promise.resolve(null),
      version: () => Promise.resolve(null),
      put: () => Promise.resolve(),
      bump: async (subjects) => {
        await this.hooks.bump?.();
        this.calls.push({ kind: 'bump', subjects });
      },
      close: () => Promise.resolve(),
    };
  }
}
