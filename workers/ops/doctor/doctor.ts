import { calls } from '../../../shared/calls';
import { readLayouts } from '../../../shared/database/layouts';
import { partitionNames } from '../../../shared/messaging/topology';
import type { Services } from '../../../shared/service';
import { withoutSecrets } from '../../../shared/shown-url';
import { readWorkerConfig } from '../../config';
import type { OpsCommand } from '../command';
import {
  chooseInstallation,
  serversOption,
  tokenKey,
  withDatabase,
  type Installation,
} from '../installation';
import { openBroker } from '../partitions/broker';
import { table } from '../table';
import { examineDataFolder } from './data-folder';
import { examineExposure } from './exposure';
import { fault, ok, type Finding } from './finding';
import { examineMysql, schemaOf, tablesOf } from './mysql';
import { examineCommands, examineLog, examineOwners, examineWorkers } from './pipeline';
import { examineRabbitmq } from './rabbitmq';
import { examineRedis } from './redis';
import { examineTopology } from './topology';

/** Returns what an examination finds. A failed examination is a finding as well. */
async function examined(
  about: string,
  advice: string,
  examine: () => Promise<readonly Finding[]> | readonly Finding[],
): Promise<readonly Finding[]> {
  try {
    return await examine();
  } catch (error) {
    const { message, code } = error as { message?: string; code?: string };
    return [
      fault(
        about,
        (message || code || String(error)).replace(/\s+/g, ' ').replace(/\.$/, ''),
        advice,
      ),
    ];
  }
}

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;

function configuration(installation: Installation): Promise<readonly Finding[]> {
  return examined(
    'configuration',
    'Correct the variable: docs/configuration.md has all of them, with unit, bounds and default.',
    () => {
      const exposure = examineExposure(installation.config, readWorkerConfig(process.env));
      const { JWT_JWKS_URL, JWT_PUBLIC_KEY } = installation.config;
      if (JWT_JWKS_URL ?? JWT_PUBLIC_KEY)
        return [ok('configuration', 'tokens are those of an identity provider'), ...exposure];
      tokenKey(installation);
      return [ok('configuration', 'tokens are made here'), ...exposure];
    },
  );
}

async function servers(
  installation: Installation,
  services: Services,
): Promise<readonly Finding[]> {
  const { MYSQL_URL, RABBITMQ_URL, REDIS_URL } = installation.config;
  let partitions: readonly string[] = [];
  const mysql = await examined(
    'MySQL',
    `Start it, or correct the host, account or password in MYSQL_URL. ${calls.migrate} creates a missing database.`,
    () =>
      withDatabase(installation, async (database) => {
        const found = await examineMysql(database, services.migrations, withoutSecrets(MYSQL_URL));
        if (found.some(({ about, state }) => about === 'schema' && state === 'fault')) return found;
        partitions = (await readLayouts())
          .filter(({ drained }) => !drained)
          .flatMap((layout) => partitionNames(services.names, layout));
        return [
          ...found,
          await examineTopology(database, MYSQL_URL),
          ...(await examineWorkers(database)),
          await examineOwners(services.names),
          ...(await examineCommands()),
        ];
      }),
  );
  const rabbitmq = await examined(
    'RabbitMQ',
    'Start it, or correct the host, account or password in RABBITMQ_URL.',
    async () => {
      const connection = await openBroker(RABBITMQ_URL);
      try {
        return await examineRabbitmq(connection, withoutSecrets(RABBITMQ_URL), partitions);
      } finally {
        await connection.close().catch(() => undefined);
      }
    },
  );
  return [...mysql, ...rabbitmq, ...(await examineRedis(REDIS_URL))];
}

function embedded(installation: Installation, services: Services): Promise<readonly Finding[]> {
  return examined('data folder', 'Start the service once, or set DATA_DIR to its folder.', () =>
    withDatabase(installation, async (database) => [
      await schemaOf(database, services.migrations),
      ...(await tablesOf(database)),
      ...(await examineDataFolder(database, installation.config.DATA_DIR)),
      await examineLog(),
      await examineOwners(services.names),
      ...(await examineCommands()),
    ]),
  );
}

export const doctor: OpsCommand = {
  summary: 'Check the installation and say what to do about each fault',
  options: { ...serversOption, json: { help: 'print what was found as JSON' } },
  notes:
    'Checks configuration, what is open to others, servers, versions, schema, queues, clocks and workers. Only reads.\nExits 1 on a fault; a warning is not a fault.',
  async run(given, services) {
    const installation = chooseInstallation(given.flag('servers'));
    const found = [
      ...(await configuration(installation)),
      ...(await (installation.kind === 'servers'
        ? servers(installation, services)
        : embedded(installation, services))),
    ];
    const count = (state: Finding['state']) =>
      found.filter((finding) => finding.state === state).length;
    const faults = count('fault');
    if (given.flag('json'))
      process.stdout.write(`${JSON.stringify({ healthy: faults === 0, findings: found })}\n`);
    else {
      const rows = found.map(({ state, about, found: text, advice }) => [
        state,
        about,
        advice ? `${text}. ${advice}` : text,
      ]);
      process.stdout.write(
        `${table(rows)}\n${counted(faults, 'fault')}, ${counted(count('warning'), 'warning')}.\n`,
      );
    }
    return faults === 0 ? 0 : 1;
  },
};
