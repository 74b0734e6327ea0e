import { pino } from 'pino';
import { register } from 'prom-client';
import { addMissingOwners } from '../../../../shared/database/layouts';
import { PartitionOwner } from '../../../../shared/database/worker-tables';
import { partitionName } from '../../../../shared/messaging/topology';
import type { Delivery, PartitionOwnership } from '../../../../shared/messaging/transport';
import { services } from '../../../../shared/services';
import type { BatchProcessor } from '../../../../workers/batch/process-batch';
import { Stall } from '../../../../workers/batch/failures/stall';
import { Pump } from '../../../../workers/consumer/pump';
import { waitUntil } from '../../../support/wait';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

const SOON_MS = 60_000;
const [OWNED, OWNERLESS] = [partitionName('lending', 0), partitionName('lending', 1)];

const ownershipOf = (name: string): PartitionOwnership => ({
  name,
  epoch: null,
  lost: false,
  waitsFrom: null,
  ack: () => undefined,
  release: () => undefined,
});

let places = 0;
const deliveryOf = (ownership: PartitionOwnership): Delivery => ({
  ownership,
  place: (places += 1),
  redeliveries: 0,
  takenAt: 0,
  bytes: 1,
  content: '',
  message: { envelope: { createdAt: 0 } } as unknown as Delivery['message'],
});

const counted = async (): Promise<unknown> =>
  (await register.getSingleMetric('lendline_partitions_without_owner')?.get())?.values[0]?.value;

it.each(DIALECTS)(
  "commands of a partition without an owner's row are told of, and wait in order until it is there (%s)",
  async (dialect) => {
    const database = await emptyDatabase(dialect);
    await PartitionOwner.destroy({ where: { partitionName: OWNERLESS } });
    const logged: string[] = [];
    const done: Delivery[] = [];
    const processor = {
      process: (given: readonly Delivery[]) => {
        done.push(...given);
        return Promise.resolve([]);
      },
    } as unknown as BatchProcessor;
    const pump = new Pump({
      database,
      processor,
      transactions: { dropPipelined: () => Promise.resolve() },
      logger: pino({ level: 'error' }, { write: (line: string) => logged.push(line) }),
      worker: 'w',
      batchBytesMax: 4_194_304,
      stall: new Stall(),
    });
    const [owned, ownerless] = [ownershipOf(OWNED), ownershipOf(OWNERLESS)];
    const [first, second, third, other] = [ownerless, ownerless, ownerless, owned].map(deliveryOf);
    pump.offer(first!);
    await waitUntil('it is told', SOON_MS, () => logged.length > 0);
    expect(logged[0]).toContain(`"partitions":["${OWNERLESS}"]`);
    pump.offer(second!);
    pump.offer(other!);
    await waitUntil('the other partition is served', SOON_MS, () => done.length > 0);
    expect(done).toEqual([other]);
    expect(await counted()).toBe(1);
    expect(pump.inHand()).toMatchObject({ [OWNERLESS]: [2, 0] });
    expect(await addMissingOwners(database, services.names)).toBe(1);
    pump.offer(third!);
    await waitUntil('the rest is carried out', SOON_MS, () => done.length === 4);
    expect(done).toEqual([other, first, second, third]);
    expect(await counted()).toBe(0);
    await pump.stop();
  },
);

it.each(DIALECTS)('rows of a layout that is drained are not made again (%s)', async (dialect) => {
  const database = await emptyDatabase(dialect);
  await PartitionOwner.destroy({ where: {} });
  await database.query('UPDATE partition_layout SET drained = 1');
  expect(await addMissingOwners(database, services.names)).toBe(0);
  expect(await PartitionOwner.count()).toBe(0);
});
