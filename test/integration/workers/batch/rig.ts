import { randomUUID } from 'node:crypto';
import Joi from 'joi';
import { pino } from 'pino';
import type { Sequelize } from 'sequelize-typescript';
import type { Envelope, Outcome } from '../../../../shared/command';
import { readEnvironment } from '../../../../shared/config';
import { encodeEnvelope } from '../../../../shared/messaging/envelope';
import type { Delivery } from '../../../../shared/messaging/transport';
import { services as sharedServices } from '../../../../shared/services';
import { SERVERS, tracingOff } from '../../../../shared/tracing';
import { Actors } from '../../../../workers/batch/service/actors';
import type { WorkerService } from '../../../../workers/batch/service/decision';
import type { CommandDelivery } from '../../../../workers/batch/ownership/deliveries';
import { takeOver } from '../../../../workers/batch/ownership/fence';
import { IdBlocks } from '../../../../workers/batch/service/ids';
import { BatchProcessor } from '../../../../workers/batch/process-batch';
import { Stall } from '../../../../workers/batch/failures/stall';
import { batchTransactions } from '../../../../workers/batch/sql/dialects';
import type { BatchTransactions } from '../../../../workers/batch/sql/transaction';
import {
  retentionVariables,
  ruleVariables,
  type RetentionConfig,
  type RuleConfig,
} from '../../../../workers/config';
import { Outgoing } from '../../../../workers/consumer/outgoing';
import { workerServices } from '../../../../workers/services';
import {
  hookedBegin,
  partitionFor,
  recordedCache,
  RecordedOwnership,
  recordedLink,
  type Call,
  type Hooks,
} from './recorders';

/**
 * The batch path on a real database, between recorders. Its queue is as strict with
 * acknowledgements as a broker, its link and cache record what they are asked for, and hooks run
 * between the two round trips of a batch.
 */

const silent = pino({ level: 'silent' });

export interface RigOptions {
  readonly database: Sequelize;
  /** Settings of the rules that differ from the defaults. */
  readonly settings?: Partial<RuleConfig>;
  readonly now?: () => Date;
  /** Puts something in front of the lending service. */
  readonly wrapLending?: (service: WorkerService) => WorkerService;
}

const DEFAULTS = readEnvironment(
  Joi.object<RuleConfig & RetentionConfig>({ ...ruleVariables, ...retentionVariables }),
  {},
);

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
    const {
      database,
      settings,
      now = () => new Date(),
      wrapLending = (service) => service,
    } = options;
    const lockRows = database.getDialect() !== 'sqlite';
    const actors = new Actors();
    const openServices = workerServices({ ...DEFAULTS, ...settings });
    const services = openServices({ database, now, actors, lockRows });
    this.ids = new IdBlocks(database);
    this.transactions = batchTransactions(database, this.name);
    rigs.push(this);
    const link = recordedLink(this.calls, this.hooks);
    this.outgoing = new Outgoing({ database, link, logger: silent });
    this.processor = new BatchProcessor({
      begin: hookedBegin(this.transactions.begin, this.hooks),
      services: { ...services, lending: wrapLending(services.lending) },
      ids: this.ids,
      actors,
      link,
      outgoing: this.outgoing,
      cache: recordedCache(this.calls, this.hooks),
      logger: silent,
      tracing: tracingOff(SERVERS),
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
}
