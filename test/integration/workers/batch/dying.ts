import type { Sequelize } from 'sequelize-typescript';
import type { Envelope } from '../../../../shared/command';
import type { Delivery } from '../../../../shared/messaging/transport';
import { faulty, type Fault } from './dead-letters';
import { Rig } from './rig';

/** Processes that end in the middle of their work, one after the other, at one queue. */

/** How many may end before a test gives up. */
export const LIVES_MAX = 100;

/**
 * From now on nothing that this process does reaches the database or anybody else; what it has
 * not committed is gone.
 */
function kill(rig: Rig): void {
  rig.hooks.begin = () => Promise.reject(new Error('this process is dead'));
  rig.processor.stop();
}

/** Kills a process before or after one of its commits; the first has number 1. */
export const killedAt = (hook: 'between' | 'committed', commit: number) => (rig: Rig) => {
  let commits = 0;
  rig.hooks[hook] = () => {
    if ((commits += 1) < commit) return;
    kill(rig);
    throw new Error('killed');
  };
};

/** A process that ends at the titles whose fault is `dies`. */
export function newProcess(database: Sequelize, faults: ReadonlyMap<number, Fault>): Rig {
  const rig: Rig = new Rig({
    database,
    wrapLending: faulty(faults, () => {
      kill(rig);
    }),
  });
  return rig;
}

/**
 * A queue, served by one process after the other; each gets what was not acknowledged, counted
 * once more.
 */
export class Queue {
  readonly processes: Rig[] = [];
  private waiting: { envelope: Envelope; redeliveries: number }[];

  constructor(
    private readonly start: () => Rig,
    envelopes: readonly Envelope[],
  ) {
    this.waiting = envelopes.map((envelope) => ({ envelope, redeliveries: 0 }));
  }

  get length(): number {
    return this.waiting.length;
  }

  /**
   * One process at work, prepared by `prepare`, with so many of the commands in its batch as it
   * is told.
   */
  async serve(
    prepare: (rig: Rig) => void = () => undefined,
    batchLength = this.waiting.length,
  ): Promise<Rig> {
    const rig = this.start();
    this.processes.push(rig);
    const deliveries: Delivery[] = [];
    for (const { envelope, redeliveries } of this.waiting)
      deliveries.push(...(await rig.deliver([envelope], redeliveries)));
    prepare(rig);
    await rig.processAll(deliveries.slice(0, batchLength));
    // With a process its connection ends.
    await rig.end();
    const acknowledged = new Set(rig.of('ack').flatMap(({ places }) => places));
    this.waiting = this.waiting
      .filter((_, index) => !acknowledged.has(deliveries[index]?.place ?? 0))
      .map(({ envelope, redeliveries }) => ({ envelope, redeliveries: redeliveries + 1 }));
    return rig;
  }

  /** How many processes died until all was done. */
  async serveAll(): Promise<number> {
    for (let deaths = 0; deaths < LIVES_MAX; deaths += 1) {
      await this.serve();
      if (this.length === 0) return deaths;
    }
    throw new Error(`${LIVES_MAX} processes died`);
  }

  endings(envelopes: readonly Envelope[]): (string | undefined)[] {
    return envelopes.map((envelope) =>
      this.processes
        .map((rig) => rig.endings([envelope])[0])
        .find((ending) => ending !== undefined),
    );
  }
}
