import type { RedisClient } from './redis-client';

/** The address of Redis, as a Sentinel or a node of a cluster knows it. */
export interface Told {
  readonly host: string;
  readonly port: string;
  /** `/` and the number of the database. */
  readonly path: string;
  /** Rises with each failover. */
  readonly epoch: number;
}

/** Asks a Sentinel or a node. `url` is the one that names it. */
export type Ask = (client: RedisClient, url: URL) => Promise<Told>;
