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
import { CommandAttempt, DeadLetter, SuspectCommand } from './dead-letter-tables';
import { IdBlock, PartitionLayout, PartitionOwner, WorkerHeartbeat } from './worker-tables';

/** The tables of commands and events. */

/** What the first start fixes: the secret that signs command ids. */
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
  /** Null for outcomes of releases that did not keep it. */
  @Column({ type: DataType.STRING(600), field: 'aggregate_key' })
  declare aggregateKey: CreationOptional<string | null>;
  /**
   * When it was taken out of its queue, and when its batch was decided, milliseconds after
   * `createdAt`. Null for a dead letter, which nothing decided.
   */
  @Column({ type: DataType.BIGINT, field: 'taken_ms' }) declare takenMs: CreationOptional<
    number | null
  >;
  @Column({ type: DataType.BIGINT, field: 'decided_ms' }) declare decidedMs: CreationOptional<
    number | null
  >;
  /** The worker that decided it, or null. */
  @Column(DataType.STRING(64)) declare worker: CreationOptional<string | null>;
}

/**
 * The part of a command's timeline that is known only after its outcome was stored. Instants are
 * milliseconds after the command was received, or null when the API did not learn them. The API
 * that answered writes these rows once a second, and sometimes not at all: see
 * `api/commands/timelines.ts`.
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
  /** The API that received and answered it. */
  @Column(DataType.STRING(64)) declare api: CreationOptional<string | null>;
}

/**
 * The command that an Idempotency-Key stands for. The API writes it before it publishes the
 * command.
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
  /** Keyed hash of the first request. */
  @AllowNull(false) @Column(DataType.STRING(64)) declare fingerprint: string;
  /** When it was made or last renewed. */
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'created_at' })
  declare createdAt: Date;
}

/**
 * Domain events, written in the transaction of their changes. A row holds events of one batch, in
 * order.
 */
@Table({ tableName: 'outbox', timestamps: false })
export class Outbox extends Model<InferAttributes<Outbox>, InferCreationAttributes<Outbox>> {
  /**
   * Assigned by the database, in the order of insertion. The relay explains why that is the order
   * of each aggregate's changes.
   */
  @PrimaryKey @AutoIncrement @Column(DataType.BIGINT) declare seq: CreationOptional<number>;
  /** One event a line, as `encodeEvent` writes them. */
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare events: string;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'occurred_at' })
  declare occurredAt: Date;
  /** When the transport had accepted them all; null until then. */
  @Column({ type: DataType.DATE(3), field: 'relayed_at' })
  declare relayedAt: CreationOptional<Date | null>;
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
 * Commands that must be put into the queues of their keys, in this order. A row is removed once its
 * command is stored there.
 */
@Table({ tableName: 'outgoing_command', timestamps: false })
export class OutgoingCommand extends Model<
  InferAttributes<OutgoingCommand>,
  InferCreationAttributes<OutgoingCommand>
> {
  @PrimaryKey @AutoIncrement @Column(DataType.BIGINT) declare seq: CreationOptional<number>;
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare envelope: string;
}

/** All tables of the command pipeline. */
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
