import type { KeptLayout } from '../../shared/database/layouts';
import { partitionNames } from '../../shared/messaging/topology';
import { SYSTEM_FAULT_MAX_MS } from '../../workers/batch/failures/evidence';
import { Api } from './api';
import { Broker } from './broker/broker';
import { Chaos } from './chaos';
import { DatabaseServer } from './database/server';
import type { TableShape } from './database/transaction';
import { Faults } from './faults';
import { finalCheck } from './final-check';
import { Judge } from './judge';
import type { SimulatedProcess } from './process';
import { Random } from './random';
import { Scheduler } from './scheduler';
import { services } from './services';
import { stockTables } from './stock';
import type { Surroundings } from './surroundings';
import { useTime } from './time';
import { sendCommands } from './traffic';
import { SimulatedWorker } from './worker';

const WORKERS_MAX = 3;
/** How long a worker that died is missing at most, milliseconds. */
const RESTART_MS = 2000;
/**
 * How long everything may take once the faults are over, milliseconds: commands that fail alike may
 * each wait for the system.
 */
const DRAIN_MS = 2 * SYSTEM_FAULT_MAX_MS;
/**
 * How long it is watched after the last command has ended, milliseconds: nothing more may happen.
 */
const WATCH_MS = 1000;
/** How often it is looked whether all is over, milliseconds. */
const LOOK_MS = 200;
/** The message brokers, by version. */
const BROKERS = ['3.10.8', '4.0.5'];

export interface SimulationOptions {
  readonly seed: number;
  /** Tables of the pipeline. */
  readonly tables: readonly TableShape[];
  /** Takes the lines of the story. */
  readonly tell?: (line: string) => void;
}

/** What a simulation came to. */
export interface Verdict {
  /** Null when all was right. */
  readonly failure: string | null;
  readonly commands: number;
  readonly steps: number;
}

/**
 * One run of the pipeline: commands are sent while faults happen, then the faults end, and
 * everything has to come to an end. All that is left to chance is drawn from the seed, so the same
 * seed is the same run.
 */
export class Simulation implements Surroundings {
  readonly scheduler = new Scheduler();
  readonly random: Random;
  readonly faults: Faults;
  readonly judge: Judge;
  readonly layout: KeptLayout;
  readonly tell: Surroundings['tell'];
  private readonly broker: Broker;
  private readonly database: DatabaseServer;
  private readonly api: Api;
  private readonly chaos: Chaos;
  private readonly workers: SimulatedWorker[] = [];
  private failure: string | null = null;
  private healed = false;
  private quietSinceMs: number | null = null;

  constructor({ seed, tables, tell }: SimulationOptions) {
    this.random = new Random(seed);
    this.faults = new Faults(this.random);
    this.layout = {
      generation: 1,
      partitions: this.random.integer(1, 3),
      drained: false,
      resizeTo: null,
    };
    this.judge = new Judge(this.fail);
    this.tell = tell
      ? (line) => {
          tell(`${this.scheduler.nowMs.toFixed(1)} ms: ${line()}`);
        }
      : () => undefined;
    this.broker = new Broker(this, this.random.pick(BROKERS));
    this.tell(
      () =>
        `RabbitMQ ${this.broker.version}, ${this.layout.partitions} partitions, at most ${this.faults.prefetchMax} deliveries held`,
    );
    this.database = new DatabaseServer(this, [...tables, ...stockTables]);
    const { generation, partitions, drained } = this.layout;
    this.database.storage.put('partition_layout', {
      generation,
      partitions,
      drained,
      resize_to: null,
    });
    for (const name of partitionNames(services.names, this.layout))
      this.database.storage.put('partition_owner', {
        partition_name: name,
        epoch: 0,
        owner: '',
        batches: 0,
      });
    this.api = new Api(this.broker);
    const leave = (process: SimulatedProcess) =>
      this.workers.find((worker) => worker.process === process)?.leave();
    const join = () => {
      if (this.workers.filter(({ process }) => process.alive).length < WORKERS_MAX)
        this.startWorker();
    };
    this.chaos = new Chaos({
      around: this,
      broker: this.broker,
      database: this.database,
      leave,
      join,
    });
  }

  readonly fail = (reason: unknown): void => {
    this.failure ??= reason instanceof Error ? (reason.stack ?? String(reason)) : String(reason);
  };

  async run(): Promise<Verdict> {
    useTime(this.scheduler);
    this.scheduler.afterStep = (process) => {
      for (const kind of this.healed ? [] : this.faults.due(this.scheduler.steps))
        this.chaos.cause(kind, process);
    };
    for (let count = this.random.integer(1, WORKERS_MAX); count > 0; count -= 1) this.startWorker();
    const healAtMs = sendCommands(this.api, this) + this.faults.goOnMs;
    this.scheduler.in(healAtMs, null, () => {
      this.heal();
    });
    try {
      if (
        !(await this.scheduler.run(
          () => this.failure !== null || this.isOver(),
          healAtMs + DRAIN_MS,
        ))
      )
        this.fail(`it did not come to an end: ${this.describe()}`);
      if (this.failure === null) finalCheck(this.api, this.database.storage, this.judge, this.fail);
    } catch (error) {
      // What a process throws outside of any promise would have ended it.
      this.fail(error);
    }
    return { failure: this.failure, commands: this.api.sent.size, steps: this.scheduler.steps };
  }

  private startWorker(): void {
    const worker = new SimulatedWorker(
      this.database,
      this.broker,
      `worker-${this.workers.length + 1}`,
    );
    this.workers.push(worker);
    worker.process.onEnd(() => {
      this.tell(() => `${worker.name} has ended`);
      if (worker.leaving) return;
      // Whoever supervises the workers starts another one.
      this.scheduler.in(this.random.between(0, RESTART_MS), null, () => {
        this.startWorker();
      });
    });
    this.tell(() => `${worker.name} starts`);
    worker.start();
  }

  private heal(): void {
    this.tell(() => 'all faults end');
    this.healed = true;
    this.faults.heal();
    this.chaos.end();
    if (!this.workers.some(({ process, leaving }) => process.alive && !leaving)) this.startWorker();
    this.look();
  }

  /** Time goes on while nothing happens. */
  private look(): void {
    this.scheduler.in(LOOK_MS, null, () => {
      this.look();
    });
  }

  private isOver(): boolean {
    if (!this.healed) return false;
    if (!this.isQuiet()) this.quietSinceMs = null;
    else this.quietSinceMs ??= this.scheduler.nowMs;
    return this.quietSinceMs !== null && this.scheduler.nowMs - this.quietSinceMs > WATCH_MS;
  }

  /** Nothing waits anywhere, and who was told to end has ended. */
  private isQuiet(): boolean {
    return (
      this.broker.empty &&
      this.database.storage.rows('outgoing_command').length === 0 &&
      !this.workers.some(({ leaving, process }) => leaving && process.alive)
    );
  }

  private describe(): string {
    const leaving = this.workers
      .filter(({ process, leaving: told }) => process.alive && told)
      .map(({ name }) => name);
    return `${this.broker.describe()}; told to end and still there: ${leaving.join() || 'nobody'}`;
  }
}
