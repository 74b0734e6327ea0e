import { EventEmitter } from 'node:events';
import type { SimulatedProcess } from '../process';
import { currentProcess } from '../time';
import { Wire } from '../wire';
import type { Broker } from './broker';
import { Channel, IllegalOperationError } from './channel';

/**
 * In place of amqplib: connections of processes to the simulated broker, over the simulated
 * network.
 */

class Connection extends EventEmitter {
  private readonly channels: Channel[] = [];
  private open = true;

  constructor(
    private readonly broker: Broker,
    private readonly wire: Wire,
  ) {
    super();
    wire.onServerLost = () => {
      for (const channel of this.channels) channel.lostAtBroker();
    };
  }

  /** The process knows of the connection now. */
  opened(): void {
    this.wire.onClientLost = () => {
      this.open = false;
      for (const channel of this.channels) channel.ended();
      this.emit('close', new Error('connection lost'));
    };
  }

  get serverProperties() {
    return { version: this.broker.version };
  }

  async createChannel(): Promise<Channel> {
    if (!this.open) throw new IllegalOperationError('Connection closed');
    const channel = new Channel(this.broker, this.wire);
    this.channels.push(channel);
    return channel.open();
  }

  createConfirmChannel(): Promise<Channel> {
    return this.createChannel();
  }

  close(): Promise<void> {
    this.open = false;
    this.wire.close();
    return Promise.resolve();
  }

  /** For faults: the network between the two ends breaks. */
  cut(ends: Parameters<Wire['cut']>[0] = {}): void {
    this.wire.cut(ends);
  }
}

/** The connections that a process has made, the last one last. */
const connections = new WeakMap<SimulatedProcess, Connection>();

export const connectionOf = (process: SimulatedProcess): Connection | undefined =>
  connections.get(process);

const brokers = new WeakMap<SimulatedProcess, Broker>();

/** Says which broker a process will find. */
export function useBroker(process: SimulatedProcess, broker: Broker): void {
  brokers.set(process, broker);
}

/** `connect` of amqplib, for the process whose code runs. */
export function connect(): Promise<Connection> {
  const process = currentProcess();
  const broker = brokers.get(process);
  if (!broker) throw new Error(`${process.name} has no broker`);
  const { scheduler, random, faults } = broker.around;
  const wire = new Wire(scheduler, random, process, faults.latency());
  return new Promise((resolve, reject) => {
    wire.onClientLost = () => {
      reject(new Error('ECONNREFUSED'));
    };
    wire.toServer(() => {
      if (!broker.up) {
        wire.cut();
        return;
      }
      const connection = new Connection(broker, wire);
      connections.set(process, connection);
      wire.toClient(() => {
        connection.opened();
        resolve(connection);
      });
    });
  });
}
