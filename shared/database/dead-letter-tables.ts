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
