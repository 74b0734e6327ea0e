import { drawnSplits, type Hosts, type Plan } from '../support/faults/drawn-splits';

const HOSTS: Hosts = {
  programs: ['api', 'worker'],
  servers: ['broker-1', 'broker-2', 'mysql', 'redis'],
  brokers: ['broker-1', 'broker-2'],
};
const COUNT = 300;
const PLAN: Plan = {
  count: COUNT,
  hosts: HOSTS,
  usualS: { min: 1, max: 15 },
  longS: { min: 16, max: 25 },
};

describe('splits of a network', () => {
  const splits = drawnSplits(1, PLAN);

  it('are the same for the same seed', () => {
    expect(drawnSplits(1, PLAN)).toEqual(splits);
    expect(drawnSplits(2, PLAN)).not.toEqual(splits);
  });

  it('are both ways or one way, and short or long', () => {
    for (const { walls } of splits)
      for (const { from, to } of walls)
        expect(from.filter((host) => to.includes(host))).toEqual([]);
    expect(new Set(splits.map(({ walls }) => walls.length))).toEqual(new Set([1, 2]));
    const lengths = splits.map(({ lengthS }) => lengthS);
    expect([Math.min(...lengths), Math.max(...lengths)]).toEqual([1, 25]);
  });

  it('part each host from all others, two hosts that talk to each other, and groups', () => {
    const sides = splits.map(({ walls: [{ from, to } = { from: [], to: [] }] }) => [from, to]);
    const alone = sides.filter(([one = [], other = []]) => one.length + other.length === 6);
    for (const host of [...HOSTS.programs, ...HOSTS.servers])
      expect(alone.some((both) => both.some((side) => side.join() === host))).toBe(true);
    const pairs = sides.filter(([one = [], other = []]) => one.length + other.length === 2).flat(2);
    expect(pairs).toHaveLength((2 * COUNT) / 3);
    expect(new Set(sides.map(([one = []]) => one.length))).toEqual(new Set([1, 2, 3, 4, 5]));
    for (const { walls } of splits) {
      const both = [walls[0]?.from ?? [], walls[0]?.to ?? []].flat();
      if (both.length > 2) continue;
      const programs = both.filter((host) => HOSTS.programs.includes(host));
      const brokers = both.filter((host) => HOSTS.brokers.includes(host));
      expect(programs.length === 1 || brokers.length === 2).toBe(true);
    }
  });
});
