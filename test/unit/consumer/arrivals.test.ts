import type { Delivery, PartitionOwnership } from '../../../shared/messaging/transport';
import { Arrivals } from '../../../workers/consumer/arrivals';

const newOwnership = (name: string): PartitionOwnership => ({
  name,
  epoch: 1,
  lost: false,
  waitsFrom: null,
  ack: () => undefined,
  release: () => undefined,
});
const PLENTY = { commands: 500, bytes: 4_194_304 };

let places = 0;
const arrived = (
  arrivals: Arrivals,
  ownership: PartitionOwnership,
  count: number,
  bytes: number,
): Delivery[] => {
  const deliveries = Array.from({ length: count }, () => ({
    ownership,
    place: (places += 1),
    redeliveries: 0,
    takenAt: 0,
    bytes,
    content: '',
    message: { malformed: '', header: null },
  }));
  for (const delivery of deliveries) arrivals.add(delivery);
  return deliveries;
};
const countOf = (batch: readonly Delivery[], ownership: PartitionOwnership): number =>
  batch.filter((delivery) => delivery.ownership === ownership).length;

describe('what has arrived', () => {
  const [large, small] = [newOwnership('posts.commands.00'), newOwnership('lending.commands.00')];
  let arrivals: Arrivals;

  beforeEach(() => {
    arrivals = new Arrivals();
  });

  it('comes into batches whole, and of each partition in its order', () => {
    const given = [...arrived(arrivals, large, 40, 300_000), ...arrived(arrivals, small, 700, 500)];
    const taken: Delivery[] = [];
    while (arrivals.length > 0) taken.push(...arrivals.take(PLENTY));
    expect(taken).toHaveLength(given.length);
    for (const ownership of [large, small])
      expect(taken.filter((delivery) => delivery.ownership === ownership)).toEqual(
        given.filter((delivery) => delivery.ownership === ownership),
      );
  });

  it('is taken up to the bytes of a batch', () => {
    arrived(arrivals, large, 40, 300_000);
    expect(arrivals.take(PLENTY)).toHaveLength(13);
    expect(arrivals).toHaveLength(27);
  });

  it('is taken alone when one command has more bytes than a batch', () => {
    const [first, second] = arrived(arrivals, large, 2, 5_000_000);
    expect(arrivals.take(PLENTY)).toEqual([first]);
    expect(arrivals.take(PLENTY)).toEqual([second]);
  });

  it('with large commands does not hold up partitions with small ones', () => {
    arrived(arrivals, large, 400, 300_000);
    arrived(arrivals, small, 64, 500);
    expect(countOf(arrivals.take(PLENTY), small)).toBe(64);
  });

  it('of a partition with many commands leaves the others their share of a batch', () => {
    arrived(arrivals, large, 10_000, 500);
    arrived(arrivals, small, 200, 500);
    const taken = arrivals.take(PLENTY);
    expect(taken).toHaveLength(500);
    expect(countOf(taken, small)).toBe(200);
  });

  it('of the partition that had least comes first in the next batch', () => {
    const holds = Array.from({ length: 6 }, (_, index) => newOwnership(`posts.commands.0${index}`));
    for (const ownership of holds) arrived(arrivals, ownership, 10, 1_000_000);
    const taken = [...arrivals.take(PLENTY), ...arrivals.take(PLENTY), ...arrivals.take(PLENTY)];
    for (const ownership of holds) expect(countOf(taken, ownership)).toBe(2);
  });

  it('and was put back comes before what arrived later', () => {
    const given = arrived(arrivals, small, 3, 500);
    arrivals.take(PLENTY);
    const later = arrived(arrivals, small, 2, 500);
    arrivals.putBack(given.slice(1));
    expect(arrivals).toHaveLength(4);
    expect(arrivals.take(PLENTY)).toEqual([...given.slice(1), ...later]);
  });

  it('of a lost partition is forgotten', () => {
    const lost = newOwnership('lending.commands.01');
    arrived(arrivals, lost, 3, 500);
    const kept = arrived(arrivals, small, 1, 500);
    lost.lost = true;
    expect(arrivals.take(PLENTY)).toEqual(kept);
    expect(arrivals).toHaveLength(0);
  });
});
