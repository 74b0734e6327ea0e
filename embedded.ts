import { randomBytes } from 'node:crypto';
import Joi from 'joi';
import { startApi, type RunningApi } from './api/app';
import type { ApiServices } from './api/service';
import { ADMIN_USERNAME_DEFAULT, apiVariables, tokenConfigOf, type ApiConfig } from './api/config';
import { fromPrimary } from './api/database/replica';
import { hasIdentityProvider } from './api/http/security/token-rules';
import { createMemoryCache } from './shared/cache/memory';
import { commonVariables, readEnvironment, type CommonConfig } from './shared/config';
import { openClock } from './shared/database/clock';
import { connectDatabase, storageFault } from './shared/database/connect';
import { databaseFile, keptSecret, openDataFolder } from './shared/database/data-folder';
import { migrate } from './shared/database/migrate';
import { openLayouts, publishedLayout } from './shared/database/layouts';
import { EMBEDDED_WORKER } from './shared/database/worker-tables';
import { User } from './shared/identity/tables';
import { createLogger } from './shared/logger';
import { EmbeddedLog } from './shared/messaging/embedded';
import type { RunningProgram } from './shared/program';
import { openTracing } from './shared/open-tracing';
import { EMBEDDED } from './shared/tracing';
import { webhookParts } from './shared/webhooks/parts';
import {
  batchVariables,
  embeddedVariables,
  mailOf,
  mailVariables,
  retentionOf,
  retentionVariables,
  ruleVariables,
} from './workers/config';
import type { BatchConfig, MailConfig, RetentionConfig, RuleConfig } from './workers/config';
import { createPipeline, type OpenServices } from './workers/pipeline';

/**
 * Runs the embedded default: API and worker in one process, on a SQLite file, a command log in the
 * same file and a cache in memory. This is the only file that knows both sides.
 */

/** How long the batch under way may take at shutdown, milliseconds. */
const DRAIN_MS = 15_000;

type EmbeddedConfig = ApiConfig &
  CommonConfig &
  RuleConfig &
  BatchConfig &
  RetentionConfig &
  MailConfig & { readonly DATA_DIR: string };

const variables = {
  ...apiVariables,
  ...commonVariables,
  ...ruleVariables,
  ...batchVariables,
  ...retentionVariables,
  ...mailVariables,
  ...embeddedVariables,
  LOG_LEVEL: commonVariables.LOG_LEVEL.default('warn'),
};

/**
 * Reads the settings of the embedded default.
 * @throws StartError that names every bad variable.
 */
export function readEmbeddedConfig(environment: NodeJS.ProcessEnv): EmbeddedConfig {
  return readEnvironment(Joi.object<EmbeddedConfig>(variables), environment);
}

/**
 * Returns the first administrator: the configured one, or `admin` with a new password, unless one
 * exists.
 */
async function firstAdmin(
  config: EmbeddedConfig,
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

interface EmbeddedOptions extends ApiServices {
  readonly workerServices: (config: RuleConfig & RetentionConfig) => OpenServices;
}

interface Started {
  readonly api: RunningApi;
  /** Commands that the last run left. */
  readonly resumed: number;
  readonly admin: Awaited<ReturnType<typeof firstAdmin>>;
}

function tellOf({ api, resumed, admin }: Started): void {
  process.stdout.write(
    `Lendline listens at ${api.url}\nOpen it in a browser. The API documentation is at ${api.url}/docs.\n`,
  );
  if (api.metricsUrl) process.stdout.write(`Metrics for Prometheus at ${api.metricsUrl}/metrics\n`);
  if (resumed > 0) process.stdout.write(`Commands resumed from the last run: ${resumed}\n`);
  if (admin.made)
    process.stdout.write(
      `First administrator: ${admin.ADMIN_USERNAME}, password ${admin.ADMIN_PASSWORD} (displayed only once)\n`,
    );
}

export async function startEmbedded({
  workerServices,
  ...served
}: EmbeddedOptions): Promise<RunningProgram> {
  const config = readEmbeddedConfig(process.env);
  const lock = openDataFolder(config.DATA_DIR);
  const logger = createLogger('lendline', config.LOG_LEVEL);
  const tracing = await openTracing('lendline', EMBEDDED, process.env, logger);
  const database = connectDatabase({ url: databaseFile(config.DATA_DIR), poolMax: 1 });
  await migrate(database, served.services.migrations);
  const { now } = await openClock(database, logger);
  const { names, decode } = served.services;
  const layouts = await openLayouts(database, names, config.COMMAND_PARTITIONS);
  const log = new EmbeddedLog(database, publishedLayout(layouts), decode, logger);
  const cache = createMemoryCache();
  const pipeline = createPipeline({
    openServices: workerServices(config),
    database,
    now,
    cache,
    link: log,
    logger,
    tracing,
    worker: EMBEDDED_WORKER,
    batchBytesMax: config.BATCH_BYTES_MAX,
    retention: retentionOf(config),
    mail: mailOf(config),
    webhooks: await webhookParts(config),
  });
  const resumed = await log.consume((delivery) => {
    pipeline.pump.offer(delivery);
  });
  const admin = await firstAdmin(config);
  const { made, ...credentials } = admin;
  const api = await startApi({
    ...served,
    adminPasswordIsMade: made,
    config: {
      ...config,
      ...credentials,
      JWT_SECRET: config.JWT_SECRET ?? keptSecret(config.DATA_DIR),
    },
    instance: 'embedded',
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
  await pipeline.jobs.start();
  tellOf({ api, resumed, admin });
  return {
    logger,
    async stop() {
      await api.stop();
      await pipeline.jobs.stop();
      // A batch that cannot be stored stays in the log, so waiting would not help.
      await pipeline.stop(DRAIN_MS, () => storageFault(database) !== null);
      await log.close();
      await cache.close();
      await database.close();
      lock.release();
      await tracing.stop();
    },
  };
}
