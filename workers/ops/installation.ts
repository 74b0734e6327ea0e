import { existsSync } from 'node:fs';
import Joi from 'joi';
import type { Sequelize } from 'sequelize-typescript';
import { readEnvironment, serverVariables, type ServerConfig } from '../../shared/config';
import { connectDatabase, type DatabaseOptions } from '../../shared/database/connect';
import { databaseFile, readSecret } from '../../shared/database/data-folder';
import { exposureVariables, type ExposureConfig } from '../../shared/exposure';
import type { TokenKey } from '../../shared/identity/token';
import { withoutSecrets } from '../../shared/shown-url';
import { embeddedVariables } from '../config';
import { OpsError, type Option } from './command';

/** Which installation a command works on, and what it needs to know of it. */

/** Connections that a command opens to MySQL at most. */
const POOL_MAX = 2;

/** What every command reads that works on an installation. */
export const installationVariables = {
  ...serverVariables,
  ...embeddedVariables,
  ...exposureVariables,
  JWT_SECRET: Joi.string().min(32),
};

interface InstallationConfig extends ServerConfig, ExposureConfig {
  readonly DATA_DIR: string;
  readonly JWT_SECRET?: string;
}

export interface Installation {
  readonly kind: 'embedded' | 'servers';
  /** `mysql://...` or the path of the SQLite file. */
  readonly databaseUrl: string;
  readonly config: InstallationConfig;
}

/** The option of every command that works on one of the two. */
export const serversOption: Readonly<Record<'servers', Option>> = {
  servers: { help: 'work on MySQL at its default address when MYSQL_URL is not set' },
};

/**
 * Decides which installation is meant: the servers when MYSQL_URL is set or `servers` is true, else
 * the embedded data folder. Says on stderr which it is.
 * @throws StartError for a bad variable.
 */
export function chooseInstallation(
  servers: boolean,
  environment: NodeJS.ProcessEnv = process.env,
): Installation {
  const config = readEnvironment(
    Joi.object<InstallationConfig>(installationVariables),
    environment,
  );
  const kind = servers || environment['MYSQL_URL'] ? 'servers' : 'embedded';
  const databaseUrl = kind === 'servers' ? config.MYSQL_URL : databaseFile(config.DATA_DIR);
  process.stderr.write(
    kind === 'servers'
      ? `Using the servers: MySQL at ${withoutSecrets(databaseUrl)}.\n`
      : `Using the embedded data folder ${config.DATA_DIR}.\n`,
  );
  return { kind, databaseUrl, config };
}

/**
 * Returns the secret that this installation's own tokens are signed with, and the claims that its
 * API asks for.
 * @throws OpsError when there is none, or an identity provider makes the tokens.
 */
export function tokenKey({ kind, config }: Installation): TokenKey {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL, JWT_PUBLIC_KEY } = config;
  if (JWT_JWKS_URL ?? JWT_PUBLIC_KEY)
    throw new OpsError(
      'This installation takes the tokens of an identity provider (JWT_JWKS_URL or JWT_PUBLIC_KEY is set), so none can be made here.',
    );
  return {
    secret: tokenSecret(kind, config),
    ...(issuer ? { issuer } : {}),
    ...(audience ? { audience } : {}),
  };
}

function tokenSecret(kind: Installation['kind'], config: InstallationConfig): string {
  if (config.JWT_SECRET !== undefined) return config.JWT_SECRET;
  if (kind === 'servers')
    throw new OpsError('JWT_SECRET is not set: it must be the secret that the API runs with.');
  const secret = readSecret(config.DATA_DIR);
  if (secret === null)
    throw new OpsError(
      `${config.DATA_DIR} holds no secret yet. Start the service once, set DATA_DIR to its folder, or set JWT_SECRET.`,
    );
  return secret;
}

/**
 * Runs `work` with the installation's database and closes the connections afterwards.
 * @throws OpsError when the embedded file is not there: connecting would make an empty one.
 */
export async function withDatabase<Result>(
  { kind, databaseUrl }: Pick<Installation, 'kind' | 'databaseUrl'>,
  work: (database: Sequelize) => Promise<Result>,
  options: Pick<DatabaseOptions, 'multipleStatements'> = {},
): Promise<Result> {
  if (kind === 'embedded' && !existsSync(databaseUrl)) {
    throw new OpsError(
      `${databaseUrl} does not exist. Start the service once, set DATA_DIR to its folder, or name the servers with MYSQL_URL or --servers.`,
    );
  }
  const database = connectDatabase({ url: databaseUrl, poolMax: POOL_MAX, ...options });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
