import { connectionOf } from './broker/amqplib';
import type { Broker } from './broker/broker';
import type { DatabaseServer } from './database/server';
import type { FaultKind } from './faults';
import type { SimulatedProcess } from './process';
import type { Surroundings } from './surroundings';
import { databaseOf } from './worker';

/** Longest of most things that end by themselves, milliseconds. */
const SHORT_MS = 3000;
/** A long absence of the database, milliseconds: longer than workers hold on to what they have. */
const OUTAGE_MS = 18_000;
/** How long a frozen process may be silent before the broker gives it up, milliseconds. */
const SILENCE_MS = [500, 4000] as const;
const FROZEN_MS = [100, 6000] as const;

export interface ChaosParts {
  readonly around: Surroundings;
  readonly broker: Broker;
  readonly database: DatabaseServer;
  /** Sends SIGTERM to a worker. */
  readonly leave: (process: SimulatedProcess) => void;
  /** Starts a worker more, unless there are enough. */
  readonly join: () => void;
}

/** Brings a fault about; most of them befall one process. */
export class Chaos {
  private readonly frozen = new Set<SimulatedProcess>();
  private readonly effects: Readonly<Record<FaultKind, (process: SimulatedProcess) => void>>;

  constructor(private readonly parts: ChaosParts) {
    const { random } = parts.around;
    const someTime = () => random.pick([0, random.between(0, SHORT_MS)]);
    this.effects = {
      crash: (process) => {
        process.end();
      },
      freeze: (process) => {
        this.freeze(process);
      },
      leave: parts.leave,
      join: parts.join,
      'close channel': (process) =>
        this.someChannel(process)?.closeByBroker('closed by the operator'),
      'cancel consumer': (process) => this.someChannel(process)?.cancelConsumers(),
      'cut broker': (process) =>
        connectionOf(process)?.cut({ clientAfterMs: someTime(), serverAfterMs: someTime() }),
      'cut database': (process) => {
        const connections = [...databaseOf(process).connections];
        if (connections.length > 0)
          random.pick(connections).cut({ clientAfterMs: someTime(), serverAfterMs: someTime() });
      },
      'database down': () => {
        this.takeDown(parts.database, random.chance(0.3) ? OUTAGE_MS : random.between(0, SHORT_MS));
      },
      'broker down': () => {
        this.takeDown(parts.broker, random.between(0, SHORT_MS));
      },
    };
  }

  cause(kind: FaultKind, process: SimulatedProcess): void {
    this.parts.around.tell(() => `fault: ${kind}, ${process.name}`);
    this.effects[kind](process);
  }

  /** Ends what is still going on; what is broken stays for the product to mend. */
  end(): void {
    const { around, broker, database } = this.parts;
    broker.up = true;
    database.up = true;
    for (const process of this.frozen) if (process.frozen) around.scheduler.thaw(process);
  }

  private takeDown(server: { up: boolean; goDown(): void }, forMs: number): void {
    server.goDown();
    this.parts.around.scheduler.in(forMs, null, () => {
      server.up = true;
    });
  }

  /** The broker gives up a process that stays silent; the database does not notice. */
  private freeze(process: SimulatedProcess): void {
    const { scheduler, random } = this.parts.around;
    process.frozen = true;
    this.frozen.add(process);
    scheduler.in(random.between(...SILENCE_MS), null, () => {
      if (process.frozen) connectionOf(process)?.cut();
    });
    scheduler.in(random.between(...FROZEN_MS), null, () => {
      if (process.frozen) scheduler.thaw(process);
    });
  }

  private someChannel(process: SimulatedProcess) {
    const channels = this.parts.broker.openChannels.filter(
      ({ owner, consumes }) => owner === process && consumes,
    );
    return channels.length > 0 ? this.parts.around.random.pick(channels) : null;
  }
}
