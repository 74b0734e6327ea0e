import { AmqpConnection, RabbitMQModule } from '@golevelup/nestjs-rabbitmq';
import { Module, type DynamicModule } from '@nestjs/common';
import type { Sequelize } from 'sequelize-typescript';
import type { Cache } from '../shared/cache/cache';
import type { Now } from '../shared/database/clock';
import type { KeptLayout } from '../shared/database/layouts';
import type { Logger } from '../shared/logger';
import { fromAnyNode } from '../shared/messaging/nodes';
import type { Signatures } from '../shared/messaging/signature';
import type { Tracing } from '../shared/tracing';
import type { WebhookParts } from '../shared/webhooks/parts';
import type { Services } from '../shared/service';
import { mailOf, retentionOf, type WorkerConfig } from './config';
import type { OpenServices } from './pipeline';
import type { BrokerFault } from './broker-fault';
import { Worker } from './worker';

/**
 * Broker heartbeat, seconds. A frozen worker's partitions fail over after two to three of these.
 */
const HEARTBEAT_S = 5;
/** How long the broker may take to answer at start, milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;

export interface WorkerParts {
  readonly config: WorkerConfig;
  readonly services: Services;
  readonly openServices: OpenServices;
  readonly database: Sequelize;
  readonly now: Now;
  readonly cache: Cache;
  readonly logger: Logger;
  readonly tracing: Tracing;
  /** Name of this worker, unique among those that run. */
  readonly worker: string;
  readonly layouts: readonly KeptLayout[];
  readonly signatures: Signatures;
  readonly webhooks: WebhookParts;
  readonly brokerFault: BrokerFault;
}

@Module({})
export class WorkerModule {
  static with({ config, brokerFault, ...parts }: WorkerParts): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        RabbitMQModule.forRoot({
          uri: fromAnyNode(config.RABBITMQ_URL),
          logger: brokerFault,
          enableDirectReplyTo: false,
          registerHandlers: false,
          enableControllerDiscovery: false,
          connectionInitOptions: { wait: true, timeout: CONNECT_TIMEOUT_MS, reject: true },
          connectionManagerOptions: {
            heartbeatIntervalInSeconds: HEARTBEAT_S,
            reconnectTimeInSeconds: 1,
            // Nagle's algorithm would hold small frames back for tens of milliseconds.
            connectionOptions: {
              noDelay: true,
              timeout: CONNECT_TIMEOUT_MS,
              clientProperties: { connection_name: `lendline-worker ${parts.worker}` },
            },
          },
        }),
      ],
      providers: [
        {
          provide: Worker,
          useFactory: (amqp: AmqpConnection) =>
            new Worker({
              amqp,
              ...parts,
              batchBytesMax: config.BATCH_BYTES_MAX,
              retention: retentionOf(config),
              mail: mailOf(config),
              heldBytesMax: config.WORKER_BYTES_MAX,
            }),
          inject: [AmqpConnection],
        },
      ],
      exports: [Worker],
    };
  }
}
