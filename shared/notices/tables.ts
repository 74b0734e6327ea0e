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
import type { NoticeType } from './views';

/** Notices to people, written in the transaction of the event that causes them. */
@Table({ tableName: 'notice', timestamps: false })
export class Notice extends Model<InferAttributes<Notice>, InferCreationAttributes<Notice>> {
  @PrimaryKey @AutoIncrement @Column(DataType.BIGINT) declare id: CreationOptional<number>;
  @AllowNull(false) @Column({ type: DataType.BIGINT, field: 'user_id' }) declare userId: number;
  @AllowNull(false)
  @Column({ type: DataType.STRING(64), field: 'event_id' })
  declare eventId: string;
  @AllowNull(false) @Column(DataType.STRING(64)) declare type: NoticeType;
  /** `NoticeAbout` as JSON. */
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare about: string;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'created_at' })
  declare createdAt: Date;
  @Column({ type: DataType.DATE(3), field: 'read_at' })
  declare readAt: CreationOptional<Date | null>;
  /** When its e-mail is sent or tried again. Null when it was sent or abandoned. */
  @Column({ type: DataType.DATE(3), field: 'mail_at' })
  declare mailAt: CreationOptional<Date | null>;
  /** How often the mail server refused the e-mail. */
  @Default(0)
  @AllowNull(false)
  @Column({ type: DataType.INTEGER, field: 'mail_tries' })
  declare mailTries: CreationOptional<number>;
}

export const noticeTables = [Notice];
