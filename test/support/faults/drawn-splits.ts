import { Random } from '../../simulation/random';
import type { Wall } from './network';

/** Splits of a network, drawn from a seed. */

const LONG_SHARE = 0.15;
const ONE_WAY_SHARE = 0.5;
/**
 * Who is apart from whom: one host from all others, two that talk to each other, or some from the
 * rest.
 */
const KINDS = ['pair', 'one', 'some'] as const;

export interface Split {
  readonly walls: readonly Wall[];
  readonly lengthS: number;
  /** For people. */
  readonly named: string;
}

export interface Hosts {
  /** They talk to servers only. */
  readonly programs: readonly string[];
  readonly servers: readonly string[];
  /** Those of the servers that talk to each other. */
  readonly brokers: readonly string[];
}

interface Range {
  readonly min: number;
  readonly max: number;
}

export interface Plan {
  readonly count: number;
  readonly hosts: Hosts;
  /** How long most of the splits last, and the others, seconds. */
  readonly usualS: Range;
  readonly longS: Range;
}

/** Kinds come in turn, so that a few splits have all of them. */
export function drawnSplits(seed: number, plan: Plan): readonly Split[] {
  const random = new Random(seed);
  return Array.from({ length: plan.count }, (_, index) =>
    drawn(random, KINDS[index % KINDS.length] ?? 'one', plan),
  );
}

function shuffled(random: Random, hosts: readonly string[]): string[] {
  return hosts
    .map((host) => ({ host, at: random.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ host }) => host);
}

function sides(random: Random, kind: (typeof KINDS)[number], hosts: Hosts): [string[], string[]] {
  const { programs, servers, brokers } = hosts;
  if (kind === 'pair') {
    const one = random.pick([...programs, ...brokers]);
    const others = brokers.includes(one) ? brokers : servers;
    return [[one], [random.pick(others.filter((other) => other !== one))]];
  }
  const all = shuffled(random, [...programs, ...servers]);
  const size = kind === 'some' ? random.integer(2, all.length - 2) : 1;
  return [all.slice(0, size), all.slice(size)];
}

function drawn(random: Random, kind: (typeof KINDS)[number], plan: Plan): Split {
  const [some, others] = sides(random, kind, plan.hosts);
  const oneWay = random.chance(ONE_WAY_SHARE);
  const away: Wall = { from: some, to: others };
  const back: Wall = { from: others, to: some };
  const { min, max } = random.chance(LONG_SHARE) ? plan.longS : plan.usualS;
  const lengthS = random.integer(min, max);
  const walls = !oneWay ? [away, back] : random.chance(0.5) ? [away] : [back];
  const arrow = !oneWay ? '<->' : walls[0] === away ? '->' : '<-';
  return {
    walls,
    lengthS,
    named: `${some.join('+')} ${arrow} ${kind === 'pair' ? others.join('+') : 'the others'}, ${lengthS} s`,
  };
}
