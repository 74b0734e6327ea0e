import type { Sequelize } from 'sequelize-typescript';
import { auditExport } from './audit/export';
import { auditEndpoints } from './audit/routes';
import { AuditTrail } from './audit/trail';
import type { Cache } from '../shared/cache/cache';
import type { Actor } from '../shared/command';
import { StartError } from '../shared/config';
import type { Now } from '../shared/database/clock';
import { commandIdSecret } from '../shared/database/settings';
import { exposureOf, faultOfProvider, type Exposure } from '../shared/exposure';
import { User } from '../shared/identity/tables';
import { userKey } from '../shared/identity/commands';
import type { Logger } from '../shared/logger';
import type { CommandSender, EventSource } from '../shared/messaging/transport';
import { serveMetrics, type MetricsServer } from '../shared/metrics-server';
import type { Tracing } from '../shared/tracing';
import { Admission } from './commands/admission';
import { CommandIds } from './commands/command-id';
import { Outcomes } from './commands/outcomes';
import { commandsExport } from './commands/export';
import { commandEndpoints } from './commands/routes';
import { createSendCommand, sendOwnCommand, type CommandDependencies } from './commands/send';
import { Waiters } from './commands/waiters';
import { Ways } from './commands/ways';
import { ADMIN_USERNAME_DEFAULT, tokenConfigOf, type ApiConfig } from './config';
import { coursesExport } from './courses/export';
import { countTakenCourses } from './courses/queries';
import { coursesEndpoints } from './courses/routes';
import { consoleEndpoints } from './console/routes';
import { Sampler } from './console/sampler';
import { ConsoleStreams } from './console/stream-routes';
import type { OldReads } from './database/replica';
import { eventEndpoints } from './events/routes';
import { EventStreams } from './events/streams';
import type { ExportPart } from './export/part';
import { exportEndpoints } from './export/routes';
import { createHttpApplication } from './http/application';
import { createAuthenticate, type Authenticate } from './http/authenticate';
import { BodyBytes } from './http/body-bytes';
import type { Endpoint } from './http/endpoint';
import { machineRoutes } from './http/health';
import type { CountsOptions } from './http/counts';
import type { EnsureUser } from './http/known-users';
import { listen, type ListenOptions } from './http/listen';
import { limitRate } from './http/rate-limit';
import { hasIdentityProvider, tokenRules, type TokenConfig } from './http/token-rules';
import { checkAccounts, checkedActor, providedActor } from './identity/account-check';
import { accountExport, identityExport } from './identity/export';
import { ensureFirstAdmin } from './identity/first-admin';
import { createLoginLimit } from './identity/login-limit';
import { identityEndpoints } from './identity/routes';
import { SignIns } from './identity/sign-ins';
import { createSignupLimit } from './identity/signup-limit';
import type { TokenIssuer } from './identity/tokens';
import type { ProfileCounts } from './identity/user-queries';
import { lendingExport } from './lending/export';
import { countOpenBorrows } from './lending/borrow-queries';
import { countOpenHolds } from './lending/hold-queries';
import { lendingEndpoints } from './lending/routes';
import { openApiEndpoint } from './openapi/routes';
import { pageEndpoints, pageFiles } from './pages/routes';
import { postsExport } from './posts/export';
import { postsEndpoints } from './posts/routes';

/** How long requests under way may take at shutdown, milliseconds. */
const CLOSE_GRACE_MS = 10_000;
/**
 * How long those who wait for a worker may go on waiting at shutdown, milliseconds; then they are
 * told the command id.
 */
const ANSWER_GRACE_MS = 3000;
/**
 * How long a reader waits for the row of its own user, milliseconds; it reads all the same when no
 * worker made it by then.
 */
const USER_MADE_MS = 1000;

export interface ApiOptions {
  readonly config: ApiConfig;
  /** Whether ADMIN_PASSWORD was made by the program, and not chosen by an operator. */
  readonly adminPasswordIsMade?: boolean;
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
  readonly tracing: Tracing | null;
  /** Counts requests and login tries in Redis; absent in the embedded default. */
  readonly sendToRedis?: CountsOptions['sendToRedis'];
}

export interface RunningApi {
  readonly url: string;
  /** Of a listener for `/metrics` alone; null when there is none. */
  readonly metricsUrl: string | null;
  /**
   * Settles when the first administrator is there, or when nobody has made one within the usual
   * wait; never rejects.
   */
  readonly prepared: Promise<void>;
  /**
   * Stops taking requests and answers those under way: who waits for a worker is given the command
   * id.
   */
  stop(): Promise<void>;
}

const NOBODY: Actor = { userId: null, username: null, role: 'user', isAdmin: false };

/** The API, put together the same way for both transports, and listening. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const {
    config,
    database,
    oldReads,
    now,
    cache,
    sender,
    stalled,
    events,
    logger,
    tracing,
    sendToRedis,
  } = options;
  const exposure = checkedExposure(config);
  const withMetrics = exposure.metrics === 'with-api';
  const counting = { logger, ...(sendToRedis && { sendToRedis }) };
  const trail = new AuditTrail(now, logger);
  const authenticate = limitRate(authenticateBy(tokenConfigOf(config), cache, exposure), {
    ...counting,
    limits: exposure.rateLimits,
    trail,
  });
  const ids = new CommandIds(await commandIdSecret());
  const admission = new Admission(sender, logger, { queueBytesMax: config.QUEUE_BYTES_MAX });
  const outcomes = new Outcomes(cache);
  const waiters = new Waiters(sender, outcomes, logger);
  const ways = new Ways(database, now, logger);
  const streams = new EventStreams(events, now);
  const consoles = new ConsoleStreams(new Sampler({ database, sender: admission, now, logger }));
  let prepared = false;
  const commands: CommandDependencies = {
    sender: admission,
    waiters,
    outcomes,
    ids,
    ways,
    now,
    waitMs: config.API_WAIT_MS,
    tracing,
  };
  const endpoints: readonly Endpoint[] = [
    ...accountEndpoints(config, { counting, trail, now, logger }),
    ...commandEndpoints({ ids, waiters, outcomes, now }),
    ...auditEndpoints(),
    ...eventEndpoints(streams),
    ...consoleEndpoints({ database, ids, now, logger, streams: consoles }),
    ...lendingEndpoints({ database, oldReads, cache, now }),
    ...postsEndpoints({ database, tokenForPosts: exposure.tokenForPosts }),
    ...coursesEndpoints({ database, cache }),
    ...pageEndpoints(),
    openApiEndpoint(() => [...endpoints, ...machineRoutes(withMetrics)]),
  ];
  const app = createHttpApplication({
    endpoints,
    authenticate,
    ensureUser: userMaker(commands),
    bodies: new BodyBytes(config.API_BYTES_MAX),
    sendCommand: createSendCommand(commands),
    ruleContext: { isbnStrict: config.ISBN_STRICT },
    logger,
    tracing,
    ready: async () => {
      if (!prepared) return 'It is starting.';
      if (!admission.ready()) return admission.fault() ?? 'Too many commands are under way.';
      await database.query('SELECT 1');
      return stalled?.() ?? null;
    },
    corsOrigins: config.CORS_ORIGINS.split(',').filter(Boolean),
    trustedProxies: config.TRUSTED_PROXIES,
    metrics: withMetrics,
    pages: pageFiles(),
  });
  checkFirstAdmin(config);
  const metrics = await serveOwnMetrics(exposure);
  const server = await listen(app, listenOptions(config));
  return {
    url: server.url,
    metricsUrl: metrics?.url ?? null,
    // After listening: where the port is taken, nothing must have been made.
    prepared: makeFirstAdmin(options, commands).finally(() => {
      prepared = true;
    }),
    async stop() {
      const closing = server.close(CLOSE_GRACE_MS);
      streams.close();
      consoles.close();
      await waiters.close(ANSWER_GRACE_MS);
      await closing;
      admission.close();
      await ways.close();
      await trail.stop();
      await metrics?.close();
    },
  };
}

/**
 * Our own tokens are held against all of their account, a provider's against blocks and erasure.
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

interface AccountParts {
  readonly counting: CountsOptions;
  readonly trail: AuditTrail;
  readonly now: Now;
  readonly logger: Logger;
}

function accountEndpoints(
  config: ApiConfig,
  { counting, trail, now, logger }: AccountParts,
): Endpoint[] {
  const limits = { perAddress: config.SIGNUPS_PER_ADDRESS, inAll: config.SIGNUPS_IN_ALL };
  const own = identityEndpoints({
    tokenIssuer: tokenIssuerOf(config),
    changesFirstPassword: exposureOf(config).beyondLoopback,
    signIns: new SignIns({ limit: createLoginLimit(counting), trail, now, logger }),
    signupLimit: createSignupLimit({ ...counting, ...limits }),
    countsOf,
  });
  return [...own, ...exportEndpoints({ parts: exportParts(now), account: accountExport, now })];
}

/** What each service has of a person. */
function exportParts(now: Now): ExportPart[] {
  return [
    ...identityExport,
    ...lendingExport(now),
    ...postsExport,
    ...coursesExport,
    ...commandsExport,
    ...auditExport,
  ];
}

async function countsOf(userId: number): Promise<ProfileCounts> {
  const counted = [
    countOpenBorrows(userId),
    countOpenHolds(userId),
    countTakenCourses(userId),
  ] as const;
  const [openBorrows, holds, courses] = await Promise.all(counted);
  return { openBorrows, holds, courses };
}

/** @throws StartError when the tokens of a provider would be taken on too little evidence. */
function checkedExposure(config: ApiConfig): Exposure {
  const exposure = exposureOf(config);
  const fault = exposure.beyondLoopback ? faultOfProvider(config) : null;
  if (fault !== null) throw new StartError(`API_HOST is beyond loopback, where ${fault}`);
  return exposure;
}

function listenOptions(config: ApiConfig): ListenOptions {
  return {
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

function tokenIssuerOf(config: ApiConfig): TokenIssuer | null {
  if (hasIdentityProvider(tokenConfigOf(config)) || !config.JWT_SECRET) return null;
  return {
    secret: config.JWT_SECRET,
    lifetimeS: config.ACCESS_TOKEN_SECONDS,
    ...(config.JWT_ISSUER && { issuer: config.JWT_ISSUER }),
    ...(config.JWT_AUDIENCE && { audience: config.JWT_AUDIENCE }),
  };
}

/**
 * A reader with a valid token whom the table lacks gets a row, by a command, because only workers
 * write.
 */
function userMaker(commands: CommandDependencies): EnsureUser {
  return async (actor) => {
    const { userId } = actor;
    if (userId === null || (await User.count({ where: { id: userId } })) > 0) return;
    await sendOwnCommand(
      commands,
      { type: 'identity.ensure-user', key: userKey(userId), payload: { userId } },
      actor,
      USER_MADE_MS,
    );
  };
}

function checkFirstAdmin({ ADMIN_USERNAME, ADMIN_PASSWORD }: ApiConfig): void {
  if (ADMIN_USERNAME && !ADMIN_PASSWORD)
    throw new StartError(
      'ADMIN_USERNAME is set without ADMIN_PASSWORD. Set both, or ADMIN_PASSWORD alone for the name admin.',
    );
}

/**
 * Without a worker the command waits in its queue, and the administrator is there when one comes.
 */
async function makeFirstAdmin(
  { config, adminPasswordIsMade: isMade = false, logger }: ApiOptions,
  commands: CommandDependencies,
): Promise<void> {
  const { ADMIN_USERNAME: username = ADMIN_USERNAME_DEFAULT, ADMIN_PASSWORD: password } = config;
  if (!password || !tokenIssuerOf(config)) return;
  try {
    const draft = await ensureFirstAdmin({ username, password, isMade }, logger);
    if (draft) await sendOwnCommand(commands, draft, NOBODY, config.API_WAIT_MS);
  } catch (error) {
    logger.error({ err: error }, 'first administrator not made');
  }
}
