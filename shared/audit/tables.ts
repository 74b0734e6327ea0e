import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import {
  AllowNull,
  AutoIncrement,
  Column,
  DataType,
  Model,
  PrimaryKey,
  Table,
} from 'sequelize-typescript';

/** Who did what to whom, from which address. Rows are added, and removed when they are old. */
@Table({ tableName: 'audit', timestamps: false })
export class Audit extends Model<InferAttributes<Audit>, InferCreationAttributes<Audit>> {
  @PrimaryKey @AutoIncrement @Column(DataType.BIGINT) declare id: CreationOptional<number>;
  @AllowNull(false) @Column(DataType.DATE(3)) declare at: Date;
  /** Null for operators, who have only a name, and for people who have not signed in. */
  @Column({ type: DataType.BIGINT, field: 'actor_id' }) declare actorId: number | null;
  @Column({ type: DataType.STRING(255), field: 'actor_name' }) declare actorName: string | null;
  /** The type of a command, or `<area>.<what>`. */
  @AllowNull(false) @Column(DataType.STRING(64)) declare action: string;
  /** The key of the aggregate. */
  @Column(DataType.STRING(600)) declare target: string | null;
  /** JSON without secrets. */
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare details: string;
  @Column(DataType.STRING(64)) declare address: string | null;
  @Column({ type: DataType.STRING(128), field: 'request_id' }) declare requestId: string | null;
}

export const auditTables = [Audit];
