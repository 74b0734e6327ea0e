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
import type { DeliveryState, WebhookStatus } from './views';

@Table({ tableName: 'webhook', timestamps: false })
export class Webhook extends Model<InferAttributes<Webhook>, InferCreationAttributes<Webhook>> {
  @PrimaryKey @Column(DataType.BIGINT) declare id: number;
  @AllowNull(false) @Column(DataType.STRING(2000)) declare url: string;
  /** JSON list of event types, or of their first words. */
  @AllowNull(false) @Column(DataType.TEXT('medium')) declare types: string;
  /** As `sealed` makes it. */
  @AllowNull(false)
  @Column({ type: DataType.STRING(255), field: 'sealed_secret' })
  declare sealedSecret: string;
  /** The former secret, which is valid for a while. */
  @Column({ type: DataType.STRING(255), field: 'former_secret' })
  declare formerSecret: string | null;
  @Column({ type: DataType.DATE(3), field: 'former_until' }) declare formerUntil: Date | null;
  @AllowNull(false) @Column(DataType.STRING(16)) declare status: WebhookStatus;
  /** Why it is disabled. */
  @Column(DataType.STRING(500)) declare reason: string | null;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'created_at' })
  declare createdAt: Date;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'modified_at' })
  declare modifiedAt: Date;
}

/** An event on its way to a webhook. Within an aggregate, the lower id is sent first. */
@Table({ tableName: 'webhook_delivery', timestamps: false })
export class WebhookDelivery extends Model<
  InferAttributes<WebhookDelivery>,
  InferCreationAttributes<WebhookDelivery>
> {
  @PrimaryKey @AutoIncrement @Column(DataType.BIGINT) declare id: CreationOptional<number>;
  @AllowNull(false)
  @Column({ type: DataType.BIGINT, field: 'webhook_id' })
  declare webhookId: number;
  @AllowNull(false)
  @Column({ type: DataType.STRING(64), field: 'event_id' })
  declare eventId: string;
  @AllowNull(false) @Column(DataType.STRING(64)) declare type: string;
  @AllowNull(false)
  @Column({ type: DataType.STRING(600), field: 'aggregate_id' })
  declare aggregateId: string;
  /** The CloudEvent; null once it was accepted. */
  @Column(DataType.TEXT('medium')) declare body: string | null;
  @AllowNull(false) @Column(DataType.STRING(16)) declare state: DeliveryState;
  @Default(0)
  @AllowNull(false)
  @Column(DataType.INTEGER)
  declare attempts: CreationOptional<number>;
  /** When the first attempt was made. */
  @Column({ type: DataType.DATE(3), field: 'first_at' })
  declare firstAt: CreationOptional<Date | null>;
  @AllowNull(false) @Column({ type: DataType.DATE(3), field: 'next_at' }) declare nextAt: Date;
  /** HTTP status of the last attempt; null without one. */
  @Column(DataType.INTEGER) declare answer: CreationOptional<number | null>;
  @Column(DataType.STRING(255)) declare error: CreationOptional<string | null>;
  @AllowNull(false)
  @Column({ type: DataType.DATE(3), field: 'created_at' })
  declare createdAt: Date;
  @Column({ type: DataType.DATE(3), field: 'done_at' })
  declare doneAt: CreationOptional<Date | null>;
}

export const webhookTables = [Webhook, WebhookDelivery];
