import './shared/heap';
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import Joi from 'joi';
import { startApi } from './api/app';
import { ADMIN_USERNAME_DEFAULT, apiVariables, tokenConfigOf, type ApiConfig } from './api/config';
import { fromPrimary } from './api/database/replica';
import { hasIdentityProvider } from './api/http/token-rules';
import { createMemoryCache } from './shared/cache/memory';
import { commonVariables, readEnvironment, type CommonConfig } from './shared/config';
import { openClock } from './shared/database/clock';
import { connectDatabase, storageFault } from './shared/database/connect';
import { databaseFile, keptSecret, openDataFolder } from './shared/database/data-folder';
import { migrate } from './shared/database/migrate';
import { openLayouts, publishedLayout } from './shared/database/layouts';
import { User } from './shared/identity/tables';
import { createLogger } from './shared/logger';
import { EmbeddedLog } from './shared/messaging/embedded';
import { runProgram } from './shared/program';
import { openTracing } from './shared/tracing';
import {
  batchVariables,
  embeddedVariables,
  lendingRules,
  retentionOf,
  retentionVariables,
  ruleVariables,
} from './workers/config';
import type { BatchConfig, RetentionConfig, RuleConfig } from './workers/config';
import { createPipeline } from './workers/pipeline';

/**
 * The embedded default: API and worker in one process, on a SQLite file, a command log in the same
 * file and a cache in memory. The only file that knows both sides.
 */

/** How long the batch under way may take at shutdown, milliseconds. */
const DRAIN_MS = 15_000;

type StandaloneConfig = ApiConfig &
  CommonConfig &
  RuleConfig &
  BatchConfig &
  RetentionConfig & { readonly DATA_DIR: string };

const variables = {
  ...apiVariables,
  ...commonVariables,
  ...ruleVariables,
  ...batchVariables,
  ...retentionVariables,
  ...embeddedVariables,
  LOG_LEVEL: commonVariables.LOG_LEVEL.default('warn'),
};

/**
 * The first administrator: from the configuration, else `admin` with a password made now, unless
 * there is one.
 */
async function firstAdmin(
  config: StandaloneConfig,
): Promise<{ ADMIN_USERNAME?: string; ADMIN_PASSWORD?: string; made: boolean }> {
  const { ADMIN_USERNAME, ADMIN_PASSWORD } = config;
  if (ADMIN_USERNAME ?? ADMIN_PASSWORD)
    return {
      ...(ADMIN_USERNAME && { ADMIN_USERNAME }),
      ...(ADMIN_PASSWORD && { ADMIN_PASSWORD }),
      made: false,
    };
  if (
    hasIdentityProvider(tokenConfigOf(config)) ||
    (await User.count({ where: { isAdmin: true } })) > 0
  )
    return { made: false };
  return {
    ADMIN_USERNAME: ADMIN_USERNAME_DEFAULT,
    ADMIN_PASSWORD: randomBytes(12).toString('base64url'),
    made: true,
  };
}

async function start() {
  const config = readEnvironment(Joi.object<StandaloneConfig>(variables), process.env);
  const lock = openDataFolder(config.DATA_DIR);
  const logger = createLogger('lendline', config.LOG_LEVEL);
  const tracing = await openTracing('lendline', process.env, logger);
  const database = connectDatabase({ url: databaseFile(config.DATA_DIR), poolMax: 1 });
  await migrate(database);
  const { now } = await openClock(database, logger);
  const log = new EmbeddedLog(
    database,
    publishedLayout(await openLayouts(database, config.COMMAND_PARTITIONS)),
    logger,
  );
  const cache = createMemoryCache();
  const pipeline = createPipeline({
    database,
    now,
    cache,
    link: log,
    logger,
    tracing,
    worker: 'embedded',
    lendingRules: lendingRules(config),
    batchBytesMax: config.BATCH_BYTES_MAX,
    retention: retentionOf(config),
  });
  const resumed = await log.consume((delivery) => {
    pipeline.pump.offer(delivery);
  });
  const { made, ...admin } = await firstAdmin(config);
  const api = await startApi({
    adminPasswordIsMade: made,
    config: { ...config, ...admin, JWT_SECRET: config.JWT_SECRET ?? keptSecret(config.DATA_DIR) },
    database,
    oldReads: fromPrimary(database),
    now,
    cache,
    sender: log,
    stalled: () => pipeline.stall.reason,
    events: log,
    logger,
    tracing,
  });
  await api.prepared;
  await pipeline.duties.start();
  process.stdout.write(
    `Lendline listens at ${api.url}\nOpen it in a browser. The API documentation is at ${api.url}/docs.\n`,
  );
  if (api.metricsUrl) process.stdout.write(`Metrics for Prometheus at ${api.metricsUrl}/metrics\n`);
  if (resumed > 0) process.stdout.write(`Commands carried on from the last run: ${resumed}\n`);
  if (made)
    process.stdout.write(
      `First administrator: ${admin.ADMIN_USERNAME}, password ${admin.ADMIN_PASSWORD} (shown this once)\n`,
    );
  return {
    logger,
    async stop() {
      await api.stop();
      await pipeline.duties.stop();
      // A batch that cannot be stored stays in the log; waiting would not help it.
      await pipeline.stop(DRAIN_MS, () => storageFault(database) !== null);
      await log.close();
      await cache.close();
      await database.close();
      lock.release();
      await tracing?.stop();
    },
  };
}

runProgram(start);
