import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import type { Sequelize } from 'sequelize-typescript';
import type { Delivery, PartitionOwnership } from '../../../shared/messaging/transport';
import type { UpNext } from '../../../workers/batch/commit-batch';
import type { BatchProcessor } from '../../../workers/batch/process-batch';
import { Stall } from '../../../workers/batch/failures/stall';
import { Pump } from '../../../workers/consumer/pump';

/**
 * The order in which deliveries become batches; what becomes of a batch is for the tests to say.
 */

class Hold implements PartitionOwnership {
  epoch: number | null = 1;
  lost = false;
  waitsFrom: number | null = null;
  constructor(readonly name: string) {}
  ack(): void {
    throw new Error("that is the processor's to do");
  }
  release(): void {
    this.lost = true;
  }
}

let places = 0;
const deliveries = (count: number, ownership: PartitionOwnership, redeliveries = 0): Delivery[] =>
  Array.from({ length: count }, () => ({
    ownership,
    place: (places += 1),
    redeliveries,
    takenAt: 0,
    bytes: 500,
    content: '',
    message: { envelope: { createdAt: 0 } } as unknown as Delivery['message'],
  }));

interface Batch {
  readonly deliveries: readonly Delivery[];
  readonly upNext: UpNext;
  /** `again`: what of it is to be carried out once more. */
  end(again?: readonly Delivery[]): void;
}

function newPump() {
  const batches: Batch[] = [];
  const processor = {
    process: (given: readonly Delivery[], upNext: UpNext) =>
      new Promise<readonly Delivery[]>((resolve) => {
        batches.push({
          deliveries: given,
          upNext,
          end: (again = []) => {
            resolve(again);
          },
        });
      }),
  } as unknown as BatchProcessor;
  const pump = new Pump({
    database: null as unknown as Sequelize,
    processor,
    transactions: { dropPipelined: () => Promise.resolve() },
    logger: pino({ level: 'silent' }),
    worker: 'w',
    batchBytesMax: 4_194_304,
    stall: new Stall(),
  });
  const offer = (given: readonly Delivery[]) => {
    for (const one of given) pump.offer(one);
  };
  /** The batch that is under way. */
  const underWay = async (): Promise<Batch> => {
    for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    return batches.at(-1) as Batch;
  };
  return { pump, offer, underWay, batches };
}

describe('the pump', () => {
  const ownership = new Hold('lending.commands.00');

  it.each([
    [1, 1],
    [128, 128],
    [129, 128],
    [300, 150],
    [1200, 500],
  ])('takes of %i commands that have arrived %i', async (arrived, taken) => {
    const { offer, underWay } = newPump();
    offer(deliveries(arrived, ownership));
    expect((await underWay()).deliveries).toHaveLength(taken);
  });

  it('carries out what is postponed before anything that came later', async () => {
    const { offer, underWay } = newPump();
    const given = deliveries(300, ownership);
    offer(given);
    const first = await underWay();
    const ahead = first.upNext();
    const postponed = given.slice(100, 150);
    first.end(postponed);
    expect((await underWay()).deliveries).toEqual(
      [...postponed, ...ahead, ...given.slice(300)].slice(0, 128),
    );
  });

  it('forgets what is postponed of a partition that it gives up', async () => {
    const { pump, offer, underWay, batches } = newPump();
    const given = deliveries(2, ownership);
    offer(given);
    const first = await underWay();
    const settled = pump.settled(ownership);
    first.end(given);
    await settled;
    await underWay();
    expect(batches).toHaveLength(1);
  });

  it('forms the next batch when it is asked and enough has arrived, and carries that out next', async () => {
    const { offer, underWay } = newPump();
    const given = deliveries(501, ownership);
    offer(given.slice(0, 1));
    const first = await underWay();
    offer(given.slice(1, 401));
    const next = first.upNext();
    expect(next).toEqual(given.slice(1, 201));
    offer(given.slice(401));
    // Asked again, as after a failure, it is the same.
    expect(first.upNext()).toEqual(next);
    first.end();
    const second = await underWay();
    expect(second.deliveries).toEqual(next);
    second.end();
    expect((await underWay()).deliveries).toEqual(given.slice(201, 351));
  });

  it.each([
    ['few have arrived', deliveries(63, ownership)],
    [
      'one of them was delivered before',
      [...deliveries(64, ownership, 1), ...deliveries(64, ownership)],
    ],
    [
      'one is no command',
      [
        {
          ...(deliveries(1, ownership)[0] as Delivery),
          message: { malformed: 'it is none', header: null },
        },
        ...deliveries(100, ownership),
      ],
    ],
    [
      'its partition is not taken over yet',
      deliveries(100, Object.assign(new Hold('lending.commands.01'), { epoch: null })),
    ],
  ])(
    'sends nothing of the next batch ahead when %s, and loses nothing of it',
    async (_case, given) => {
      const { pump, offer, underWay } = newPump();
      offer(deliveries(1, ownership));
      const first = await underWay();
      offer(given);
      expect(first.upNext()).toEqual([]);
      expect(Object.values(pump.inHand()).reduce((sum, [count]) => sum + count, 0)).toBe(
        1 + given.length,
      );
    },
  );

  it('has settled a hold only when the next batch, which has some of it, has ended too', async () => {
    const { pump, offer, underWay, batches } = newPump();
    const other = new Hold('lending.commands.01');
    offer(deliveries(1, other));
    const first = await underWay();
    offer(deliveries(300, ownership));
    expect(first.upNext()).toHaveLength(150);
    let settled = false;
    void pump.settled(ownership).then(() => (settled = true));
    first.end();
    const second = await underWay();
    expect(settled).toBe(false);
    second.end();
    await underWay();
    expect(settled).toBe(true);
    // What had arrived besides is forgotten.
    expect(batches).toHaveLength(2);
  });

  it('carries out what it has formed before it stops, and no more', async () => {
    const { pump, offer, underWay, batches } = newPump();
    offer(deliveries(1, ownership));
    const first = await underWay();
    offer(deliveries(300, ownership));
    first.upNext();
    const stopped = pump.stop();
    expect(first.upNext()).toHaveLength(150);
    first.end();
    const second = await underWay();
    expect(second.upNext()).toEqual([]);
    second.end();
    await stopped;
    expect(batches).toHaveLength(2);
  });
});
