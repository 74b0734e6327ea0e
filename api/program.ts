import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { openRedisCache } from '../shared/cache/redis';
import { RedisLink } from '../shared/cache/redis-link';
import { openClock } from '../shared/database/clock';
import { openLayouts, publishedLayout, readLayouts } from '../shared/database/layouts';
import { openMigrated } from '../shared/database/open';
import { logPrimary, onNewPrimary } from '../shared/database/primary';
import { commandIdSecret } from '../shared/database/settings';
import { createLogger } from '../shared/logger';
import { Signatures } from '../shared/messaging/signature';
import type { RunningProgram } from '../shared/program';
import { openTracing } from '../shared/open-tracing';
import { SERVERS } from '../shared/tracing';
import type { RedisReply } from 'rate-limit-redis';
import { startApi } from './app';
import { RabbitmqSender } from './commands/rabbitmq-sender';
import { readApiConfig } from './config';
import { breakWhenUnavailable } from './database/breaker';
import { fromPrimary, fromReplica, openReplica } from './database/replica';
import { RabbitmqEvents } from './events/rabbitmq-events';
import type { ApiServices } from './service';

/**
 * How long a query waits for a free connection, and how long it may take, milliseconds; then its
 * client gets a 503.
 */
const ACQUIRE_MS = 2000;
const QUERY_MS = 5000;
/** Most connections to the replica. */
const REPLICA_CONNECTIONS = 4;
/**
 * How long counting a client may take in Redis, milliseconds; then this process counts it alone.
 */
const LIMITS_WAIT_MS = 1000;

/** Returns one API process on MySQL, RabbitMQ and Redis. Any number of them may run. */
export async function startApiProgram(served: ApiServices): Promise<RunningProgram> {
  const config = readApiConfig(process.env);
  const instance = `${hostname().slice(0, 20)}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const logger = createLogger('lendline-api', config.LOG_LEVEL).child({ instance });
  const tracing = await openTracing('lendline-api', SERVERS, process.env, logger);
  const limits = { acquireMs: ACQUIRE_MS, queryMs: QUERY_MS };
  const database = await openMigrated(
    { url: config.MYSQL_URL, poolMax: config.API_MYSQL_CONNECTIONS, ...limits },
    served.services.migrations,
  );
  const { MYSQL_REPLICA_URL: replicaUrl } = config;
  const replica = replicaUrl
    ? await openReplica({ url: replicaUrl, poolMax: REPLICA_CONNECTIONS, ...limits })
    : null;
  logPrimary(database, logger);
  breakWhenUnavailable(database, logger);
  const clock = await openClock(database, logger);
  await openLayouts(database, served.services.names, config.COMMAND_PARTITIONS);
  const readLayout = async () => publishedLayout(await readLayouts());
  const signatures = new Signatures(await commandIdSecret());
  const sender = await RabbitmqSender.open({
    urls: config.RABBITMQ_URL,
    instance,
    services: served.services,
    readLayout,
    signatures,
    logger,
  });
  const events = new RabbitmqEvents({ openChannel: () => sender.openChannel(), instance, logger });
  const cache = await openRedisCache(config.REDIS_URL, logger);
  // What a view shows may be gone with the server that it was read from.
  onNewPrimary(database, (server) => {
    if (server) void cache.renew();
  });
  const counts = new RedisLink(config.REDIS_URL, logger, 'each process counts its clients alone');
  const sendToRedis = (...command: string[]) =>
    counts.runReopened((client) => client.sendCommand<RedisReply>(command), LIMITS_WAIT_MS);
  const oldReads = replica
    ? fromReplica(database, replica, clock.now, logger)
    : fromPrimary(database);
  const api = await startApi({
    ...served,
    config,
    instance,
    database,
    oldReads,
    now: clock.now,
    cache,
    sender,
    events,
    logger,
    tracing,
    sendToRedis,
  });
  logger.info({ url: api.url, ...(api.metricsUrl && { metricsUrl: api.metricsUrl }) }, 'listening');
  return {
    logger,
    async stop() {
      await api.stop();
      await sender.close();
      await cache.close();
      await counts.close();
      clock.close();
      await replica?.close();
      await database.close();
      await tracing.stop();
    },
  };
}
