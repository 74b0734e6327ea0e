import type { Sequelize } from 'sequelize-typescript';
import { WorkerHeartbeat } from '../../shared/database/tables';
import type { Logger } from '../../shared/logger';
import type { PartitionConsumer } from './partition';
import { ranking } from './score';

/**
 * Spreads the partitions over the workers that live.
 *
 * From RabbitMQ 4.0 on the broker does it: everyone subscribes to everything with the rendezvous score as priority, and
 * the broker hands over by itself, between messages. Before 4.0 the oldest subscription wins whatever its priority, so
 * the workers keep heartbeat rows, by the database's clock, and each partition is subscribed by its first in rank,
 * who works, and its second, who stands by and takes over within milliseconds when the first dies. Two workers
 * that disagree for a moment do no harm: the fence lets one of them commit.
 */

/** How often a worker says that it lives and looks who else does, milliseconds. */
const BEAT_MS = 1000;
/** A worker whose last beat is older counts as gone, seconds. */
const ALIVE_S = 5;
/** A heartbeat row this old is removed, seconds. */
const FORGOTTEN_S = 3600;

export interface BalanceOptions {
  readonly database: Sequelize;
  readonly worker: string;
  readonly consumers: ReadonlyMap<string, PartitionConsumer>;
  readonly logger: Logger;
}

export interface Balance {
  start(): Promise<void>;
  /** Gives up every partition; others may take them at once. */
  stop(): Promise<void>;
}

/** Chosen by the broker's own version, for instance `3.10.8` or `4.2.1`. */
export function balanceFor(brokerVersion: string, options: BalanceOptions): Balance {
  return Number(brokerVersion.split('.')[0]) >= 4 ? new BrokerBalance(options) : new HeartbeatBalance(options);
}

async function unsubscribeAll(consumers: ReadonlyMap<string, PartitionConsumer>): Promise<void> {
  await Promise.all([...consumers.values()].map((consumer) => consumer.unsubscribe()));
}

class BrokerBalance implements Balance {
  constructor(private readonly options: BalanceOptions) {}

  start(): Promise<void> {
    for (const consumer of this.options.consumers.values()) consumer.subscribe();
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return unsubscribeAll(this.options.consumers);
  }
}

class HeartbeatBalance implements Balance {
  private timer: NodeJS.Timeout | null = null;
  private beating: Promise<void> = Promise.resolve();
  private stopped = false;
  private readonly ranks = new Map<string, number>();

  constructor(private readonly options: BalanceOptions) {}

  async start(): Promise<void> {
    await this.beat();
    this.timer = setInterval(() => {
      this.beating = this.beating.then(() => this.beat()).catch((error: unknown) => {
        // The database is away: whoever works goes on holding what it holds, and pauses there.
        this.options.logger.warn({ err: error }, 'heartbeat failed');
      });
    }, BEAT_MS);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearInterval(this.timer);
    await this.beating;
    await unsubscribeAll(this.options.consumers);
    await WorkerHeartbeat.destroy({ where: { worker: this.options.worker } }).catch(() => undefined);
  }

  private async beat(): Promise<void> {
    if (this.stopped) return;
    const { database, worker, consumers } = this.options;
    await database.query('INSERT INTO worker_heartbeat (worker, beat_at) VALUES (?, NOW(3)) ON DUPLICATE KEY UPDATE beat_at = NOW(3)', { replacements: [worker] });
    await database.query(`DELETE FROM worker_heartbeat WHERE beat_at < NOW(3) - INTERVAL ${FORGOTTEN_S} SECOND`);
    const [rows] = await database.query(`SELECT worker FROM worker_heartbeat WHERE beat_at > NOW(3) - INTERVAL ${ALIVE_S} SECOND`);
    const alive = (rows as { worker: string }[]).map((row) => row.worker);
    await Promise.all([...consumers].map(([name, consumer]) => this.place(name, consumer, ranking(alive, name).indexOf(worker))));
  }

  private async place(name: string, consumer: PartitionConsumer, rank: number): Promise<void> {
    const before = this.ranks.get(name);
    this.ranks.set(name, rank);
    const stepsBack = rank === 1 && consumer.subscribed && (before === 0 || consumer.active);
    // Stepping back for one beat puts this worker's subscription behind that of the first in rank.
    if (rank > 1 || stepsBack) await consumer.unsubscribe();
    else consumer.subscribe();
  }
}
