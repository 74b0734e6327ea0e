import {
  partitionName,
  partitionNames,
  partitionOf,
  serviceOf,
} from '../../../shared/messaging/topology';

describe('the partition of a key', () => {
  // Commands that wait while a new release starts must stay in the queue where the later ones of
  // their title will go.
  it.each([
    ['book-info:1', 16, 15],
    ['book-info:42', 16, 0],
    ['book-info:42', 7, 2],
    ['isbn:9780306406157', 16, 7],
    ['account:보라', 16, 9],
    ['user:9007199254740991', 256, 11],
  ])('of %s among %i is %i, now and in every release', (key, partitions, partition) => {
    expect(partitionOf(key, partitions)).toBe(partition);
  });

  it('is one of the partitions, and every partition is used', () => {
    for (const partitions of [1, 2, 16, 256]) {
      const used = new Set(
        Array.from({ length: 5000 }, (_, id) => partitionOf(`book-info:${id}`, partitions)),
      );
      expect([...used].sort((a, b) => a - b)).toEqual(
        Array.from({ length: partitions }, (_, index) => index),
      );
    }
  });

  it('spreads keys evenly: no partition of 16 gets more than a tenth of 16,000', () => {
    const counts = new Map<number, number>();
    for (let id = 0; id < 16_000; id += 1)
      counts.set(
        partitionOf(`book-info:${id}`, 16),
        (counts.get(partitionOf(`book-info:${id}`, 16)) ?? 0) + 1,
      );
    expect(Math.max(...counts.values())).toBeLessThan(1600);
  });
});

it('queues are named after service and partition, in an order that people can sort', () => {
  expect(partitionName('lending', 7)).toBe('lending.commands.07');
  expect(partitionName('lending', 7, 3)).toBe('lending.commands.g3.07');
  expect(partitionNames(['identity', 'lending'], { generation: 1, partitions: 2 })).toEqual([
    'identity.commands.00',
    'identity.commands.01',
    'lending.commands.00',
    'lending.commands.01',
  ]);
  expect(serviceOf('lending.commands.07')).toBe('lending');
  expect(serviceOf('lending.borrow-book')).toBe('lending');
});
