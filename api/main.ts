import '../shared/heap';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { openRedisCache } from '../shared/cache/redis';
import { RedisLink } from '../shared/cache/redis-link';
import { openClock } from '../shared/database/clock';
import { openLayouts, publishedLayout, readLayouts } from '../shared/database/layouts';
import { openMigrated } from '../shared/database/open';
import { commandIdSecret } from '../shared/database/settings';
import { createLogger } from '../shared/logger';
import { Signatures } from '../shared/messaging/signature';
import { runProgram } from '../shared/program';
import { openTracing } from '../shared/tracing';
import type { RedisReply } from 'rate-limit-redis';
import { startApi } from './app';
import { RabbitmqSender } from './commands/rabbitmq-sender';
import { readApiConfig } from './config';
import { breakWhenAway } from './database/breaker';
import { fromPrimary, fromReplica, openReplica } from './database/replica';
import { RabbitmqEvents } from './events/rabbitmq-events';

/**
 * How long a query waits for a free connection, and how long it may take, milliseconds; then its
 * client gets a 503.
 */
const ACQUIRE_MS = 2000;
const QUERY_MS = 5000;
/** Most connections to the replica. */
const REPLICA_CONNECTIONS = 4;
/**
 * How long counting a login may take in Redis, milliseconds; then it is counted in this process.
 */
const LIMITS_WAIT_MS = 500;

/** One API process on MySQL, RabbitMQ and Redis. Any number of them may run. */
async function start() {
  const config = readApiConfig(process.env);
  const instance = `${hostname().slice(0, 20)}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const logger = createLogger('lendline-api', config.LOG_LEVEL).child({ instance });
  const tracing = await openTracing('lendline-api', process.env, logger);
  const database = await openMigrated({
    url: config.MYSQL_URL,
    poolMax: config.API_MYSQL_CONNECTIONS,
    acquireMs: ACQUIRE_MS,
    queryMs: QUERY_MS,
  });
  const replica = config.MYSQL_REPLICA_URL
    ? await openReplica({
        url: config.MYSQL_REPLICA_URL,
        poolMax: REPLICA_CONNECTIONS,
        acquireMs: ACQUIRE_MS,
        queryMs: QUERY_MS,
      })
    : null;
  breakWhenAway(database, logger);
  const clock = await openClock(database, logger);
  await openLayouts(database, config.COMMAND_PARTITIONS);
  const readLayout = async () => publishedLayout(await readLayouts());
  const signatures = new Signatures(await commandIdSecret());
  const sender = await RabbitmqSender.open({
    urls: config.RABBITMQ_URL,
    instance,
    readLayout,
    signatures,
    logger,
  });
  const events = new RabbitmqEvents({ openChannel: () => sender.openChannel(), instance, logger });
  const cache = await openRedisCache(config.REDIS_URL, logger);
  const limits = new RedisLink(config.REDIS_URL, logger, () => Promise.resolve());
  const sendToRedis = (...command: string[]) =>
    limits.run((client) => client.sendCommand<RedisReply>(command), LIMITS_WAIT_MS);
  const oldReads = replica
    ? fromReplica(database, replica, clock.now, logger)
    : fromPrimary(database);
  const api = await startApi({
    config,
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
      await limits.close();
      clock.close();
      await replica?.close();
      await database.close();
      await tracing?.stop();
    },
  };
}

runProgram(start);
