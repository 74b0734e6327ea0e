import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { StartError } from '../../shared/config';
import type { Now } from '../../shared/database/clock';
import { connectDatabase, type DatabaseOptions } from '../../shared/database/connect';
import { JOB_LEASE_S } from '../../shared/database/lease';
import type { Logger } from '../../shared/logger';
import { withoutSecrets } from '../../shared/shown-url';

/**
 * Where a read may go that need not show what was written a moment ago. The caller says how old its
 * answer may be, and no other read knows of the replica.
 */
export type OldReads = (maxAgeMs: number) => Promise<Sequelize>;

export const fromPrimary =
  (primary: Sequelize): OldReads =>
  () =>
    Promise.resolve(primary);

/**
 * Opens a connection to a replica. It serves no models, which belong to the primary.
 * @throws StartError when it is unavailable at the start.
 */
export async function openReplica(options: DatabaseOptions): Promise<Sequelize> {
  const replica = connectDatabase({ ...options, models: false });
  try {
    await replica.authenticate();
    return replica;
  } catch (error) {
    throw new StartError(
      `Cannot use the replica at ${withoutSecrets(options.url)} (MYSQL_REPLICA_URL): ${(error as Error).message}`,
    );
  }
}

/**
 * Uses the replica while it is recent. The leases of the workers' jobs, renewed every second, show
 * how recent. When it lags, has stopped or cannot be reached, the primary is read instead. So it is
 * while no worker runs.
 */
export function fromReplica(
  primary: Sequelize,
  replica: Sequelize,
  now: Now,
  logger: Logger,
): OldReads {
  let used = true;
  const tell = (next: boolean, ageMs: number) => {
    if (next !== used)
      logger.warn(
        { ageMs },
        next
          ? 'the replica is used again'
          : 'the replica is too far behind: reads go to the primary',
      );
    used = next;
  };
  return async (maxAgeMs) => {
    const ageMs = await ageOf(replica, now).catch(() => Infinity);
    tell(ageMs <= maxAgeMs, ageMs);
    return ageMs <= maxAgeMs ? replica : primary;
  };
}

/**
 * Returns the age of the newest row of the replica, milliseconds: at most a second more than it is.
 */
async function ageOf(replica: Sequelize, now: Now): Promise<number> {
  const [row] = await replica.query<{ renewed: Date | null }>(
    `SELECT MAX(\`until\`) - INTERVAL ${JOB_LEASE_S} SECOND AS renewed FROM lease`,
    { type: QueryTypes.SELECT },
  );
  return row?.renewed ? now().getTime() - new Date(row.renewed).getTime() : Infinity;
}
