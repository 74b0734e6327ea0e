import type { AmqpConnection } from '@golevelup/nestjs-rabbitmq';
import { connect, type AmqpConnectionManager } from 'amqp-connection-manager';
import type { Logger } from '../../shared/logger';
import { Signatures } from '../../shared/messaging/signature';
import { SERVERS, tracingOff } from '../../shared/tracing';
import { Worker } from '../../workers/worker';
import { connectionOf, useBroker } from './broker/amqplib';
import type { Broker } from './broker/broker';
import { simulatedCache } from './cache';
import { SimulatedDatabase } from './database/client';
import type { DatabaseServer } from './database/server';
import { SimulatedProcess } from './process';
import { openServices, services } from './services';
import type { Surroundings } from './surroundings';
import { instantMs } from './time';

const nothing = () => undefined;

/**
 * Nobody reads it; but what is wrong in the code, here or there, and not with the servers, is not
 * to be tried again in silence.
 */
function loggerOf({ fail }: Surroundings): Logger {
  const look = ({ err }: { readonly err?: unknown }) => {
    if (err instanceof TypeError) fail(err);
  };
  const logger = {
    isLevelEnabled: () => false,
    debug: nothing,
    info: nothing,
    warn: look,
    error: look,
  };
  return { ...logger, child: () => logger } as unknown as Logger;
}

/** The database of each process, for code that reaches for it by way of the models. */
const databases = new WeakMap<SimulatedProcess, SimulatedDatabase>();

export function databaseOf(process: SimulatedProcess): SimulatedDatabase {
  const database = databases.get(process);
  if (!database) throw new Error(`${process.name} has no database`);
  return database;
}

/**
 * What the product uses of golevelup's connection, which keeps its last connection also when that
 * is lost.
 */
function golevelups(manager: AmqpConnectionManager, logger: Logger): AmqpConnection {
  let connection: unknown = manager.connection;
  manager.on('connect', (event) => {
    connection = event.connection;
  });
  const managedChannel = manager.createChannel({ name: 'default' });
  managedChannel.on('error', (err: unknown) => {
    logger.warn({ err });
  });
  return {
    managedConnection: manager,
    managedChannel,
    get connection() {
      return connection;
    },
    get connected() {
      return manager.isConnected();
    },
  } as unknown as AmqpConnection;
}

/**
 * A worker process: the product's own `Worker`, on simulated connections. It ends when it cannot
 * start, as the program does.
 */
export class SimulatedWorker {
  readonly process: SimulatedProcess;
  readonly database: SimulatedDatabase;
  /** It was told to end, and does so in order. */
  leaving = false;
  private worker: Worker | null = null;

  constructor(
    private readonly server: DatabaseServer,
    broker: Broker,
    readonly name: string,
  ) {
    this.process = new SimulatedProcess(name);
    this.database = new SimulatedDatabase(server, this.process);
    useBroker(this.process, broker);
    databases.set(this.process, this.database);
  }

  start(): void {
    this.inProcess(async () => {
      const manager = connect(['amqp://simulated'], {
        heartbeatIntervalInSeconds: 5,
        reconnectTimeInSeconds: 1,
      });
      await new Promise((resolve) => manager.once('connect', resolve));
      const { around } = this.server;
      const logger = loggerOf(around);
      const amqp = golevelups(manager, logger);
      const worker = new Worker({
        amqp,
        services,
        openServices,
        database: this.database.asSequelize,
        cache: simulatedCache(around, this.process),
        logger,
        tracing: tracingOff(SERVERS),
        worker: this.name,
        layouts: [around.layout],
        // Nobody forges anything here; who may publish is tried against a real broker.
        signatures: new Signatures(Buffer.alloc(0), 'ignored'),
        now: () => new Date(instantMs()),
        batchBytesMax: 4_194_304,
        retention: { eventDays: 7, auditDays: 365, noticeDays: 90 },
        mail: null,
        webhooks: { key: Buffer.alloc(32), allowPrivate: false },
        heldBytesMax: around.faults.heldBytesMax,
      });
      await worker.onApplicationBootstrap();
      this.worker = worker;
    });
  }

  /** SIGTERM. */
  leave(): void {
    this.leaving = true;
    this.inProcess(async () => {
      await this.worker?.beforeApplicationShutdown();
      await connectionOf(this.process)?.close();
      this.database.close();
      this.process.end();
    });
  }

  private inProcess(work: () => Promise<void>): void {
    this.server.around.scheduler.in(0, this.process, () => {
      work().catch(() => {
        this.process.end();
      });
    });
  }
}
