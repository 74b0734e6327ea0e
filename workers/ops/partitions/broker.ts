import { connect, type ChannelModel, type ConfirmChannel } from 'amqplib';
import type { Sequelize } from 'sequelize-typescript';
import { withoutSecrets } from '../../../shared/shown-url';
import { OpsError, type Arguments } from '../command';
import { chooseInstallation, withDatabase } from '../installation';

/** How long the broker may take to answer, milliseconds. */
const CONNECT_MS = 10_000;

export interface Servers {
  readonly database: Sequelize;
  readonly connection: ChannelModel;
  readonly channel: ConfirmChannel;
}

/**
 * Runs `work` with the database and the message broker, and closes both afterwards.
 * @throws OpsError when the embedded default is meant, whose one lane partitions do not widen, or
 * when the broker cannot be used.
 */
export async function withServers<Result>(
  given: Arguments,
  work: (servers: Servers) => Promise<Result>,
): Promise<Result> {
  const installation = chooseInstallation(given.flag('servers'));
  if (installation.kind === 'embedded')
    throw new OpsError(
      'Only servers have partitions. Name the servers with MYSQL_URL or --servers.',
    );
  return withDatabase(installation, async (database) => {
    const connection = await openBroker(installation.config.RABBITMQ_URL);
    try {
      const channel = await connection.createConfirmChannel();
      channel.on('error', () => undefined);
      return await work({ database, connection, channel });
    } finally {
      await connection.close().catch(() => undefined);
    }
  });
}

/**
 * Connects to the first node that answers.
 * @throws OpsError when none does.
 */
export async function openBroker(urls: readonly string[]): Promise<ChannelModel> {
  let failure: unknown;
  for (const url of urls) {
    try {
      const connection = await connect(url, {
        noDelay: true,
        timeout: CONNECT_MS,
        clientProperties: { connection_name: 'lendline-ops' },
      });
      // What was asked for fails, and says why; without a listener the process would end here.
      connection.on('error', () => undefined);
      return connection;
    } catch (error) {
      failure = error;
    }
  }
  throw new OpsError(
    `Cannot use RabbitMQ at ${withoutSecrets(urls)} (RABBITMQ_URL): ${(failure as Error).message}.`,
  );
}
