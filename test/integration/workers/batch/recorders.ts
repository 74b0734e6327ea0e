import type { Cache } from '../../../../shared/cache/cache';
import type { Envelope, Outcome } from '../../../../shared/command';
import { partitionFor as partitionOfCommand } from '../../../../shared/messaging/topology';
import type {
  Delivery,
  PartitionOwnership,
  WorkerLink,
} from '../../../../shared/messaging/transport';
import type { BatchTransaction, BeginBatch } from '../../../../workers/batch/sql/transaction';
import { PARTITIONS } from '../../../support/servers/database';

/** What stands around the batch path in its tests, and records what it is asked for. */

export const partitionFor = (envelope: Envelope) =>
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
export class RecordedOwnership implements PartitionOwnership {
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

/** Begins batches, and lets the test step in around them. */
export const hookedBegin =
  (begin: BeginBatch, hooks: Hooks): BeginBatch =>
  async (statements) => {
    await hooks.begin?.();
    const { transaction, results } = await begin(statements);
    const hooked = async (commit: () => Promise<void>) => {
      await hooks.between?.(transaction);
      await commit();
      await hooks.committed?.();
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

/** What a worker sends, recorded. */
export const recordedLink = (calls: Call[], hooks: Hooks): WorkerLink => ({
  reply: (replyTo, outcomes) => {
    calls.push({ kind: 'reply', replyTo, outcomes });
  },
  forward: async (envelope) => {
    await hooks.forward?.(envelope);
    calls.push({ kind: 'forward', envelope });
  },
  partitionFor,
  publishEvents: () => Promise.resolve(),
});

/** A cache that is always empty, and records what it must forget. */
export const recordedCache = (calls: Call[], hooks: Hooks): Cache => ({
  get: () => Promise.resolve(null),
  version: () => Promise.resolve(null),
  put: () => Promise.resolve(),
  bump: async (subjects) => {
    await hooks.bump?.();
    calls.push({ kind: 'bump', subjects });
  },
  close: () => Promise.resolve(),
});
