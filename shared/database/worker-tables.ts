import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { AllowNull, Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';

/** The tables of workers: their partitions, heartbeats and ids. */

/** How many partitions there are: see `layouts.ts`. */
@Table({ tableName: 'partition_layout', timestamps: false })
export class PartitionLayout extends Model<
  InferAttributes<PartitionLayout>,
  InferCreationAttributes<PartitionLayout>
> {
  @PrimaryKey @Column(DataType.INTEGER) declare generation: number;
  @AllowNull(false) @Column(DataType.INTEGER) declare partitions: number;
  @AllowNull(false) @Column(DataType.BOOLEAN) declare drained: boolean;
  /** The number of partitions that the workers are to change to; null for none. */
  @Column({ type: DataType.INTEGER, field: 'resize_to' })
  declare resizeTo: CreationOptional<number | null>;
}

/**
 * Who may commit for a partition. Every batch updates the row of each of its partitions `WHERE
 * epoch = ?`. A worker whose epoch is outdated changes no row and must not commit.
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

/**
 * Whether a worker takes partitions. `draining`: it is to hand them over. `drained`: it has, and
 * takes none until it is told to.
 */
export type WorkerState = 'serving' | 'draining' | 'drained';
/**
 * Name of the worker of the embedded default. It has no heartbeat, because it lives as long as its
 * process.
 */
export const EMBEDDED_WORKER = 'embedded';

/** Workers that are alive, by the database's clock. */
@Table({ tableName: 'worker_heartbeat', timestamps: false })
export class WorkerHeartbeat extends Model<
  InferAttributes<WorkerHeartbeat>,
  InferCreationAttributes<WorkerHeartbeat>
> {
  @PrimaryKey @Column(DataType.STRING(64)) declare worker: string;
  @AllowNull(false) @Column({ type: DataType.DATE(3), field: 'beat_at' }) declare beatAt: Date;
  /** `InHand` as JSON, at the last heartbeat; null when the worker does not report it. */
  @Column({ type: DataType.TEXT('medium'), field: 'in_hand' }) declare inHand: CreationOptional<
    string | null
  >;
  /** Why the worker cannot carry out commands, at the last heartbeat; null when it can. */
  @Column(DataType.STRING(1000)) declare fault: CreationOptional<string | null>;
  /**
   * JSON list of partitions that the worker leaves to workers of a later release; null for none.
   */
  @Column({ type: DataType.TEXT('medium'), field: 'left_to_later' })
  declare leftToLater: CreationOptional<string | null>;
  /** Null for a worker of the former release, which cannot be drained. */
  @Column(DataType.STRING(16)) declare state: CreationOptional<WorkerState | null>;
}

/**
 * For each partition with commands that a worker holds and has not acknowledged: how many, and when
 * the oldest was received (milliseconds since 1970). Null when that is unreadable.
 */
export type InHand = Readonly<Record<string, readonly [commands: number, oldestAt: number | null]>>;

/** The next free id of each kind. Workers take blocks, so ids are known before rows are written. */
@Table({ tableName: 'id_block', timestamps: false })
export class IdBlock extends Model<InferAttributes<IdBlock>, InferCreationAttributes<IdBlock>> {
  @PrimaryKey @Column(DataType.STRING(32)) declare kind: string;
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'next_id' }) declare nextId: number;
}
