import type { Sequelize } from 'sequelize-typescript';
import { AuditTrail } from './audit/trail';
import type { Cache } from '../shared/cache/cache';
import { StartError } from '../shared/config';
import type { Now } from '../shared/database/clock';
import { commandIdSecret } from '../shared/database/settings';
import { exposureOf, faultOfProvider, type Exposure } from '../shared/exposure';
import type { Logger } from '../shared/logger';
import type { CommandSender, EventSource } from '../shared/messaging/transport';
import { serveMetrics, type MetricsServer } from '../shared/metrics-server';
import type { Tracing } from '../shared/tracing';
import { Admission } from './commands/admission';
import { createSendBulk } from './commands/bulk';
import { CommandIds } from './commands/command-id';
import { Outcomes } from './commands/outcomes';
import { commandEndpoints } from './commands/routes';
import type { CommandDependencies } from './commands/carry-out';
import { createSendCommand } from './commands/send';
import { Waiters } from './commands/waiters';
import { Timelines } from './commands/timelines';
import { tokenConfigOf, type ApiConfig } from './config';
import { consoleEndpoints } from './console/routes';
import { Sampler } from './console/sampler';
import { ConsoleStreams } from './console/stream-routes';
import type { OldReads } from './database/replica';
import { eventEndpoints } from './events/routes';
import { EventStreams } from './events/streams';
import { createHttpApplication } from './http/application';
import { createAuthenticate, type Authenticate } from './http/security/authenticate';
import { BodyBytes } from './http/requests/body-bytes';
import type { Endpoint } from './http/endpoint';
import { machineRoutes } from './http/health';
import type { CountsOptions } from './http/security/counts';
import { listen, type ListenOptions } from './http/listen';
import { limitRate } from './http/security/rate-limit';
import { hasIdentityProvider, tokenRules, type TokenConfig } from './http/security/token-rules';
import { checkAccounts, checkedActor, providedActor } from './identity/account-check';
import { openApiEndpoint } from './openapi/routes';
import { pageEndpoints, pageFiles } from './pages/routes';
import { checkFirstAdmin, makeFirstAdmin, userMaker, type FirstAdminOptions } from './own-commands';
import { together, type ApiServices } from './service';
import { sharedEndpoints } from './shared-endpoints';

/** How long requests under way may take at shutdown, milliseconds. */
const CLOSE_GRACE_MS = 10_000;
/**
 * How long clients may go on waiting for a worker at shutdown, milliseconds. Then they get the
 * command id.
 */
const ANSWER_GRACE_MS = 3000;
export interface ApiOptions extends ApiServices, FirstAdminOptions {
  /** Name of this process. */
  readonly instance: string;
  readonly database: Sequelize;
  /** For the reads that may be old. */
  readonly oldReads: OldReads;
  readonly now: Now;
  readonly cache: Cache;
  readonly sender: CommandSender;
  /**
   * Why commands are not carried out, where workers run in the same process; null when they are.
   */
  readonly stalled?: () => string | null;
  readonly events: EventSource;
  readonly logger: Logger;
  readonly tracing: Tracing;
  /** Counts requests and login tries in Redis; absent in the embedded default. */
  readonly sendToRedis?: CountsOptions['sendToRedis'];
}

export interface RunningApi {
  readonly url: string;
  /** Of a listener for `/metrics` alone; null when there is none. */
  readonly metricsUrl: string | null;
  /**
   * Settles when the first administrator exists, or was not made within the usual wait. Never
   * rejects.
   */
  readonly prepared: Promise<void>;
  /**
   * Stops taking requests and answers those under way. Clients that wait for a worker get the
   * command id.
   */
  stop(): Promise<void>;
}

const sendersOf = (deps: CommandDependencies) => ({
  sendCommand: createSendCommand(deps),
  sendBulk: createSendBulk(deps),
});

/** Splits a list at its commas. */
const originsOf = (text: string): string[] => text.split(',').filter(Boolean);

/** Starts the API, built the same way for both transports, and listens. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const {
    services,
    apiServices,
    config,
    database,
    oldReads,
    now,
    cache,
    sender,
    events,
    logger,
    tracing,
    sendToRedis,
  } = options;
  const exposure = checkedExposure(config);
  const { results, events: eventSchemas } = together(apiServices);
  const withMetrics = exposure.metrics === 'with-api';
  const counting = { logger, ...(sendToRedis && { sendToRedis }) };
  const trail = new AuditTrail(now, logger);
  const authenticateAgain = authenticateBy(tokenConfigOf(config), cache, exposure);
  const limiting = { ...counting, limits: exposure.rateLimits, trail };
  const ids = new CommandIds(await commandIdSecret(), services.commandTypes);
  const admission = new Admission(sender, logger, { queueBytesMax: config.QUEUE_BYTES_MAX });
  const outcomes = new Outcomes(cache);
  const waiters = new Waiters(sender, outcomes, logger);
  const timelines = new Timelines(database, now, logger, options.instance);
  const streams = { all: new EventStreams(events, now), posts: new EventStreams(events, now) };
  const consoles = new ConsoleStreams(
    new Sampler({ services, database, sender: admission, now, logger }),
  );
  const parts = {
    ...{ config, exposure, database, oldReads, cache, now, trail, counting, logger },
    streams: streams.posts,
  };
  const sources = { videos: originsOf(config.VIDEO_ORIGINS), covers: config.COVER_HOSTS };
  let prepared = false;
  const commands: CommandDependencies = {
    sender: admission,
    waiters,
    outcomes,
    ids,
    timelines,
    now,
    waitMs: config.API_WAIT_MS,
    tracing,
  };
  const endpoints: readonly Endpoint[] = [
    ...apiServices.flatMap((service) => service.endpoints(parts)),
    ...(await sharedEndpoints(options, results)),
    ...commandEndpoints({ ids, waiters, outcomes, results, now }),
    ...eventEndpoints(streams.all, eventSchemas),
    ...consoleEndpoints({ services, database, ids, now, logger, streams: consoles }),
    ...pageEndpoints(sources),
    openApiEndpoint(() => [...endpoints, ...machineRoutes(withMetrics)]),
  ];
  const app = createHttpApplication({
    endpoints,
    authenticate: limitRate(authenticateAgain, limiting),
    authenticateAgain,
    ensureUser: userMaker(commands),
    bodies: new BodyBytes(config.API_BYTES_MAX),
    ...sendersOf(commands),
    ruleContext: { isbnStrict: config.ISBN_STRICT },
    logger,
    tracing,
    ready: async () => (prepared ? unready(options, admission) : 'It is starting.'),
    corsOrigins: originsOf(config.CORS_ORIGINS),
    trustedProxies: config.TRUSTED_PROXIES,
    metrics: withMetrics,
    pages: pageFiles(sources),
  });
  checkFirstAdmin(config);
  const metrics = await serveOwnMetrics(exposure);
  const server = await listen(app, listenOptions(config, logger));
  return {
    url: server.url,
    metricsUrl: metrics?.url ?? null,
    // After listening: where the port is taken, nothing must have been made.
    prepared: makeFirstAdmin(options, commands).finally(() => {
      prepared = true;
    }),
    async stop() {
      const closing = server.close(CLOSE_GRACE_MS);
      for (const open of [...Object.values(streams), consoles]) open.close();
      await waiters.close(ANSWER_GRACE_MS);
      await closing;
      admission.close();
      await timelines.close();
      await trail.stop();
      await metrics?.close();
    },
  };
}

/** Returns why requests cannot be served; null when they can. */
async function unready(
  { database, stalled }: ApiOptions,
  admission: Admission,
): Promise<string | null> {
  if (!admission.ready()) return admission.fault() ?? 'Too many commands are under way.';
  await database.query('SELECT 1');
  return stalled?.() ?? null;
}

/**
 * Makes the check of tokens. Our own are compared with all of their account, and a provider's with
 * blocks and erasure.
 */
function authenticateBy(
  tokens: TokenConfig,
  cache: Cache,
  { beyondLoopback }: Exposure,
): Authenticate {
  const verify = createAuthenticate(tokenRules(tokens));
  const provided = hasIdentityProvider(tokens);
  const check = provided ? providedActor : checkedActor;
  return checkAccounts(verify, { cache, check, changesFirstPassword: beyondLoopback && !provided });
}

/** @throws StartError when the tokens of a provider would be taken on too little evidence. */
function checkedExposure(config: ApiConfig): Exposure {
  const exposure = exposureOf(config);
  const fault = exposure.beyondLoopback ? faultOfProvider(config) : null;
  if (fault !== null) throw new StartError(`API_HOST is beyond loopback, where ${fault}`);
  return exposure;
}

function listenOptions(config: ApiConfig, logger: Logger): ListenOptions {
  return {
    logger,
    host: config.API_HOST,
    port: config.API_PORT,
    max: config.API_CONNECTIONS_MAX,
    maxPerAddress: config.TRUSTED_PROXIES > 0 ? 0 : config.API_CONNECTIONS_PER_ADDRESS,
  };
}

async function serveOwnMetrics({ metrics }: Exposure): Promise<MetricsServer | null> {
  if (typeof metrics === 'string') return null;
  return serveMetrics({ ...metrics, variables: 'METRICS_HOST, METRICS_PORT' });
}
