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

/** The tables of commands that fail. */

/**
 * Dead letters, in the order in which they were made: commands that could not be carried out, and
 * messages that are no commands. An aggregate with dead letters is in quarantine: see
 * `workers/batch/failures/quarantine.ts`.
 */
@Table({ tableName: 'dead_letter', timestamps: false })
export class DeadLetter extends Model<
  InferAttributes<DeadLetter>,
  InferCreationAttributes<DeadLetter>
> {
  @PrimaryKey @AutoIncrement @Column(DataType.BIGINT) declare seq: CreationOptional<number>;
  /** For a message without a readable id, a name made from its content. */
  @AllowNull(false)
  @Column({ type: DataType.STRING(40), field: 'command_id' })
  declare commandId: string;
  /** Null when the message cannot be read, as is the aggregate's key. */
  @Column(DataType.STRING(64)) declare type: string | null;
  @Column({ type: DataType.STRING(600), field: 'aggregate_key' }) declare aggregateKey:
    | string
    | null;
  @AllowNull(false)
  @Column({ type: DataType.STRING(64), field: 'partition_name' })
  declare partitionName: string;
  /** The message as it came. */
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare content: string;
  @AllowNull(false) @Column(DataType.STRING(1000)) declare reason: string;
  /** It came behind another dead letter of its aggregate. Nothing else was wrong with it. */
  @Default(false)
  @AllowNull(false)
  @Column(DataType.BOOLEAN)
  declare parked: CreationOptional<boolean>;
  /** An operator is replaying it: it is in its queue again, or on its way there. */
  @Default(false)
  @AllowNull(false)
  @Column(DataType.BOOLEAN)
  declare released: CreationOptional<boolean>;
  @AllowNull(false) @Column({ type: DataType.DATE(3), field: 'dead_at' }) declare deadAt: Date;
}

/** How a command failed before it was replayed, copied from its dead letter. */
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
  /** It was parked behind a dead letter of its aggregate, and not tried. */
  @AllowNull(false) @Column(DataType.BOOLEAN) declare parked: CreationOptional<boolean>;
}

/**
 * Commands that were under way when a worker died, and are under way again: see
 * `workers/batch/failures/suspects.ts`.
 */
@Table({ tableName: 'suspect_command', timestamps: false })
export class SuspectCommand extends Model<
  InferAttributes<SuspectCommand>,
  InferCreationAttributes<SuspectCommand>
> {
  @PrimaryKey @Column({ type: DataType.STRING(40), field: 'command_id' }) declare commandId: string;
  /** How many processes began it alone and have not reported an end. */
  @AllowNull(false) @Column(DataType.INTEGER) declare deaths: number;
  @AllowNull(false) @Column({ type: DataType.DATE(3), field: 'tried_at' }) declare triedAt: Date;
}
