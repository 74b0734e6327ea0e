import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import {
  AllowNull,
  AutoIncrement,
  Column,
  DataType,
  Default,
  Model,
  PrimaryKey,
  Table,
} from 'sequelize-typescript';

/** The tables of the command pipeline itself. */

/** What is fixed at first start: the secret that command ids are signed with. */
@Table({ tableName: 'setting', timestamps: false })
export class Setting extends Model<InferAttributes<Setting>, InferCreationAttributes<Setting>> {
  @PrimaryKey @Column(DataType.STRING(64)) declare name: string;
  @AllowNull(false) @Column(DataType.STRING(255)) declare value: string;
}

/** The answer to a command, written in the transaction of its effect. */
@Table({ tableName: 'command_outcome', timestamps: false })
export class CommandOutcome extends Model<
  InferAttributes<CommandOutcome>,
  InferCreationAttributes<CommandOutcome>
> {
  @PrimaryKey @Column({ type: DataType.STRING(40), field: 'command_id' }) declare commandId: string;
  @AllowNull(false) @Column(DataType.STRING(64)) declare type: string;
  @Column({ type: DataType.BIGINT, field: 'owner_id' }) declare ownerId: number | null;
  @AllowNull(false)
  @Column({ type: DataType.STRING(128), field: 'request_id' })
  declare requestId: string;
  /** The ending as JSON: see `ending.ts`. */
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare ending: string;
  /** Cache subjects whose views the command changed, as `subjects.ts` keeps them. */
  @Column(DataType.STRING(500)) declare subjects: CreationOptional<string | null>;
  @Column({ type: DataType.TEXT('medium'), field: 'long_subjects' })
  declare longSubjects: CreationOptional<string | null>;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'created_at' })
  declare createdAt: Date;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'completed_at' })
  declare completedAt: Date;
  /** Null for outcomes from before it was kept. */
  @Column({ type: DataType.STRING(600), field: 'aggregate_key' })
  declare aggregateKey: CreationOptional<string | null>;
  /**
   * When it was taken out of its queue, and when its batch was decided, milliseconds after
   * `createdAt`; null when it was given up, so that nothing decided it.
   */
  @Column({ type: DataType.BIGINT, field: 'taken_ms' }) declare takenMs: CreationOptional<
    number | null
  >;
  @Column({ type: DataType.BIGINT, field: 'decided_ms' }) declare decidedMs: CreationOptional<
    number | null
  >;
  /** Who decided it; null when nobody did. */
  @Column(DataType.STRING(64)) declare worker: CreationOptional<string | null>;
}

/**
 * What is known of a command's way only after its outcome was stored: instants in milliseconds
 * after the command was received, null where nobody was told. Written by the API that answered, a
 * second's worth at a time and now and then not at all: see `api/commands/timelines.ts`.
 */
@Table({ tableName: 'command_way', timestamps: false })
export class CommandTimeline extends Model<
  InferAttributes<CommandTimeline>,
  InferCreationAttributes<CommandTimeline>
> {
  @PrimaryKey @Column({ type: DataType.STRING(40), field: 'command_id' }) declare commandId: string;
  @Column({ type: DataType.BIGINT, field: 'confirmed_ms' }) declare confirmedMs: number | null;
  @Column({ type: DataType.BIGINT, field: 'committed_ms' }) declare committedMs: number | null;
  @Column({ type: DataType.BIGINT, field: 'answered_ms' }) declare answeredMs: number | null;
  /** Who received and answered it. */
  @Column(DataType.STRING(64)) declare api: CreationOptional<string | null>;
}

/**
 * Which command an Idempotency-Key stands for. Written by the API before the command is published.
 */
@Table({ tableName: 'idempotency_key', timestamps: false })
export class IdempotencyKey extends Model<
  InferAttributes<IdempotencyKey>,
  InferCreationAttributes<IdempotencyKey>
> {
  /** Keyed hash of user, method, path and key. */
  @PrimaryKey @Column(DataType.STRING(64)) declare scope: string;
  @AllowNull(false)
  @Column({ type: DataType.STRING(40), field: 'command_id' })
  declare commandId: string;
  /** Keyed hash of the request that came first. */
  @AllowNull(false) @Column(DataType.STRING(64)) declare fingerprint: string;
  /** When it was made, or renewed since. */
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'created_at' })
  declare createdAt: Date;
}

/**
 * Domain events, in the transaction of the changes that they tell of: a row holds those of a batch,
 * or some of them in order.
 */
@Table({ tableName: 'outbox', timestamps: false })
export class Outbox extends Model<InferAttributes<Outbox>, InferCreationAttributes<Outbox>> {
  /**
   * Given by the database, in the order of insertion; why that is the order of each aggregate's
   * changes says the relay.
   */
  @PrimaryKey @AutoIncrement @Column(DataType.BIGINT) declare seq: CreationOptional<number>;
  /** One a line, as `encodeEvent` writes them. */
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare events: string;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'occurred_at' })
  declare occurredAt: Date;
  /** When the transport had them; null until then. */
  @Column({ type: DataType.DATE(3), field: 'relayed_at' })
  declare relayedAt: CreationOptional<Date | null>;
}

/** How many partitions there are: see `layouts.ts`. */
@Table({ tableName: 'partition_layout', timestamps: false })
export class PartitionLayout extends Model<
  InferAttributes<PartitionLayout>,
  InferCreationAttributes<PartitionLayout>
> {
  @PrimaryKey @Column(DataType.INTEGER) declare generation: number;
  @AllowNull(false) @Column(DataType.INTEGER) declare partitions: number;
  @AllowNull(false) @Column(DataType.BOOLEAN) declare drained: boolean;
}

/**
 * Who may commit for a partition. Every batch updates the row of each partition it touches `WHERE
 * epoch = ?`; a worker whose epoch is no longer there changes no row and must not commit.
 */
@Table({ tableName: 'partition_owner', timestamps: false })
export class PartitionOwner extends Model<
  InferAttributes<PartitionOwner>,
  InferCreationAttributes<PartitionOwner>
> {
  @PrimaryKey
  @Column({ type: DataType.STRING(64), field: 'partition_name' })
  declare partitionName: string;
  @AllowNull(false) @Column(DataType.BIGINT) declare epoch: number;
  @AllowNull(false) @Column(DataType.STRING(64)) declare owner: string;
  /** Batches committed in this epoch. */
  @AllowNull(false) @Column(DataType.BIGINT) declare batches: number;
}

/** Workers that live, by the database's clock. */
@Table({ tableName: 'worker_heartbeat', timestamps: false })
export class WorkerHeartbeat extends Model<
  InferAttributes<WorkerHeartbeat>,
  InferCreationAttributes<WorkerHeartbeat>
> {
  @PrimaryKey @Column(DataType.STRING(64)) declare worker: string;
  @AllowNull(false) @Column({ type: DataType.DATE(3), field: 'beat_at' }) declare beatAt: Date;
  /** `InHand` as JSON, as of the beat; null in the row of a worker that does not tell. */
  @Column({ type: DataType.TEXT('medium'), field: 'in_hand' }) declare inHand: CreationOptional<
    string | null
  >;
  /** Why the worker cannot carry out commands, as of the beat; null when it can. */
  @Column(DataType.STRING(1000)) declare fault: CreationOptional<string | null>;
  /**
   * JSON list of partitions that have a command of a later release, which this worker leaves to
   * others; null for none.
   */
  @Column({ type: DataType.TEXT('medium'), field: 'left_to_later' })
  declare leftToLater: CreationOptional<string | null>;
}

/**
 * For each partition of which a worker has commands that are not acknowledged: how many, and when
 * the oldest was received, milliseconds since 1970; null when that cannot be read.
 */
export type InHand = Readonly<Record<string, readonly [commands: number, oldestAt: number | null]>>;

/**
 * The next free id of each kind; workers take blocks, so that ids are known before rows are
 * written.
 */
@Table({ tableName: 'id_block', timestamps: false })
class IdBlock extends Model<InferAttributes<IdBlock>, InferCreationAttributes<IdBlock>> {
  @PrimaryKey @Column(DataType.STRING(32)) declare kind: string;
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'next_id' }) declare nextId: number;
}

/** Embedded default only: the command log. A row stays until its outcome is stored. */
@Table({ tableName: 'pending_command', timestamps: false })
export class PendingCommand extends Model<
  InferAttributes<PendingCommand>,
  InferCreationAttributes<PendingCommand>
> {
  @PrimaryKey @Column(DataType.BIGINT) declare seq: number;
  @AllowNull(false)
  @Column({ type: DataType.STRING(64), field: 'partition_name' })
  declare partitionName: string;
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare envelope: string;
  /** How many processes had it before. */
  @Default(0)
  @AllowNull(false)
  @Column(DataType.INTEGER)
  declare redeliveries: CreationOptional<number>;
}

/**
 * Commands, and messages that are none, which could not be carried out, in the order in which they
 * were put aside. An aggregate that has letters here is in quarantine: see
 * `workers/batch/failures/quarantine.ts`.
 */
@Table({ tableName: 'dead_letter', timestamps: false })
export class DeadLetter extends Model<
  InferAttributes<DeadLetter>,
  InferCreationAttributes<DeadLetter>
> {
  @PrimaryKey @AutoIncrement @Column(DataType.BIGINT) declare seq: CreationOptional<number>;
  /** For a message whose id cannot be read, a name made of its content. */
  @AllowNull(false)
  @Column({ type: DataType.STRING(40), field: 'command_id' })
  declare commandId: string;
  /** Null, as the aggregate's key, when the message cannot be read. */
  @Column(DataType.STRING(64)) declare type: string | null;
  @Column({ type: DataType.STRING(600), field: 'aggregate_key' }) declare aggregateKey:
    string | null;
  @AllowNull(false)
  @Column({ type: DataType.STRING(64), field: 'partition_name' })
  declare partitionName: string;
  /** The message as it came. */
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare content: string;
  @AllowNull(false) @Column(DataType.STRING(1000)) declare reason: string;
  /** Nothing was wrong with it but that it came behind another dead letter of its aggregate. */
  @Default(false)
  @AllowNull(false)
  @Column(DataType.BOOLEAN)
  declare parked: CreationOptional<boolean>;
  /** An operator wants it carried out: it is in its queue again, or on its way there. */
  @Default(false)
  @AllowNull(false)
  @Column(DataType.BOOLEAN)
  declare released: CreationOptional<boolean>;
  @AllowNull(false) @Column({ type: DataType.DATE(3), field: 'dead_at' }) declare deadAt: Date;
}

/** How a command failed before a replay carried it out again: what its letter said then. */
@Table({ tableName: 'command_attempt', timestamps: false })
export class CommandAttempt extends Model<
  InferAttributes<CommandAttempt>,
  InferCreationAttributes<CommandAttempt>
> {
  @PrimaryKey @AutoIncrement @Column(DataType.BIGINT) declare seq: CreationOptional<number>;
  @AllowNull(false)
  @Column({ type: DataType.STRING(40), field: 'command_id' })
  declare commandId: string;
  @AllowNull(false) @Column({ type: DataType.DATE(3), field: 'failed_at' }) declare failedAt: Date;
  @AllowNull(false) @Column(DataType.STRING(1000)) declare reason: string;
  /** It was not tried, because it came behind a letter of its aggregate. */
  @AllowNull(false) @Column(DataType.BOOLEAN) declare parked: CreationOptional<boolean>;
}

/**
 * Commands under way that were under way before when a worker died: see
 * `workers/batch/failures/suspects.ts`.
 */
@Table({ tableName: 'suspect_command', timestamps: false })
export class SuspectCommand extends Model<
  InferAttributes<SuspectCommand>,
  InferCreationAttributes<SuspectCommand>
> {
  @PrimaryKey @Column({ type: DataType.STRING(40), field: 'command_id' }) declare commandId: string;
  /** How many processes began with it alone and have not told of an end. */
  @AllowNull(false) @Column(DataType.INTEGER) declare deaths: number;
  @AllowNull(false) @Column({ type: DataType.DATE(3), field: 'tried_at' }) declare triedAt: Date;
}

/**
 * Commands that must get into the queue of their key, in this order. A row goes once its command is
 * stored there.
 */
@Table({ tableName: 'outgoing_command', timestamps: false })
export class OutgoingCommand extends Model<
  InferAttributes<OutgoingCommand>,
  InferCreationAttributes<OutgoingCommand>
> {
  @PrimaryKey @AutoIncrement @Column(DataType.BIGINT) declare seq: CreationOptional<number>;
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare envelope: string;
}

export const pipelineTables = [
  Setting,
  CommandOutcome,
  CommandTimeline,
  IdempotencyKey,
  Outbox,
  PartitionLayout,
  PartitionOwner,
  WorkerHeartbeat,
  IdBlock,
  PendingCommand,
  DeadLetter,
  CommandAttempt,
  SuspectCommand,
  OutgoingCommand,
];
