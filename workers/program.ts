import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { NestFactory } from '@nestjs/core';
import { openRedisCache } from '../shared/cache/redis';
import { StartError } from '../shared/config';
import { openClock } from '../shared/database/clock';
import { openLayouts, servedLayout } from '../shared/database/layouts';
import { openMigrated } from '../shared/database/open';
import { logPrimary } from '../shared/database/primary';
import { commandIdSecret } from '../shared/database/settings';
import { createLogger } from '../shared/logger';
import { Signatures } from '../shared/messaging/signature';
import type { RunningProgram } from '../shared/program';
import type { Services } from '../shared/service';
import { openTracing } from '../shared/open-tracing';
import { SERVERS } from '../shared/tracing';
import { withoutSecrets } from '../shared/shown-url';
import { webhookParts } from '../shared/webhooks/parts';
import { BrokerFault } from './broker-fault';
import { readWorkerConfig, type WorkerConfig } from './config';
import { serveHealth } from './health';
import type { OpenServices } from './pipeline';
import { Worker } from './worker';
import { WorkerModule } from './worker.module';

/**
 * Connections to MySQL: one for the batches and one for dead letters of the broker. The others
 * serve take-overs, ending obstructing connections, heartbeats and housekeeping.
 */
const POOL_MAX = 6;
/**
 * Longest silence of MySQL after a query, milliseconds: longer than a statement may wait for a
 * lock. Then the batch is retried on another connection.
 */
const ANSWER_MS = 10_000;

/** What a worker is started with. */
export interface WorkerServiceOptions {
  readonly services: Services;
  readonly workerServices: (config: WorkerConfig) => OpenServices;
}

/**
 * Starts one worker process on MySQL, RabbitMQ and Redis. Any number of workers share the
 * partitions.
 */
export async function startWorker({
  services,
  workerServices,
}: WorkerServiceOptions): Promise<RunningProgram> {
  const config = readWorkerConfig(process.env);
  const worker = `${hostname().slice(0, 20)}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const logger = createLogger('lendline-worker', config.LOG_LEVEL).child({ worker });
  const tracing = await openTracing('lendline-worker', SERVERS, process.env, logger);
  const database = await openMigrated(
    {
      url: config.MYSQL_URL,
      poolMax: POOL_MAX,
      multipleStatements: true,
      answerMs: ANSWER_MS,
    },
    services.migrations,
  );
  logPrimary(database, logger);
  const clock = await openClock(database, logger);
  const layouts = await openLayouts(database, services.names, config.COMMAND_PARTITIONS);
  const signatures = new Signatures(await commandIdSecret(), config.COMMAND_SIGNATURES);
  const cache = await openRedisCache(config.REDIS_URL, logger);
  const brokerFault = new BrokerFault();
  const application = await NestFactory.createApplicationContext(
    WorkerModule.with({
      config,
      services,
      openServices: workerServices(config),
      database,
      now: clock.now,
      cache,
      logger,
      tracing,
      worker,
      layouts,
      signatures,
      webhooks: await webhookParts(config),
      brokerFault,
    }),
    { logger: false, abortOnError: false },
  ).catch((error: unknown) => {
    throw new StartError(
      `Cannot use RabbitMQ at ${withoutSecrets(config.RABBITMQ_URL)} (RABBITMQ_URL): ${brokerFault.last ?? (error as Error).message}`,
    );
  });
  const running = application.get(Worker);
  const health = await serveHealth({
    host: config.WORKER_METRICS_HOST,
    port: config.WORKER_METRICS_PORT,
    fault: () => running.fault,
  });
  logger.info({ partitions: servedLayout(layouts).partitions }, 'ready');
  return {
    logger,
    async stop() {
      await health.close();
      await application.close();
      await cache.close();
      clock.close();
      await database.close();
      await tracing.stop();
    },
  };
}
