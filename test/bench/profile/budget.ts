/** What a profile of V8 says a command costs, by the part of the program that took the time. */

interface Frame {
  readonly functionName: string;
  readonly url: string;
}

/** A profile as V8's inspector writes it. */
export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: Frame;
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[];
}

export interface Step {
  readonly part: string;
  /** Microseconds of processor time for each command: in the part alone, and with all it calls. */
  readonly alone: number;
  readonly within: number;
}

/** Time in which nothing was to do. */
const IDLE = '(idle)';

/** The part that a function belongs to: a folder of ours, a package, a module of Node. */
function partOf({ functionName, url }: Frame): string {
  if (functionName === IDLE) return IDLE;
  if (url === '') return functionName.startsWith('(') ? functionName : 'V8 and Node, native';
  const [, name] = /^node:(?:internal\/)?([^/]+)/.exec(url) ?? [];
  if (name !== undefined) return `node:${name}`;
  const [, packed] = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(url) ?? [];
  if (packed !== undefined) return packed;
  const [, own] = /\/dist\/(.*)$/.exec(url) ?? [];
  return own === undefined ? url : own.replace(/\.js$/, '');
}

/** The costs of each part, the dearest first. `commands` were carried out meanwhile. */
export function budgetOf(profile: Profile, commands: number): Step[] {
  const parents = new Map<number, number>();
  for (const { id, children = [] } of profile.nodes)
    for (const child of children) parents.set(child, id);
  const parts = new Map(profile.nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]));
  const alone = new Map<string, number>();
  const within = new Map<string, number>();
  const add = (sums: Map<string, number>, part: string, us: number) =>
    sums.set(part, (sums.get(part) ?? 0) + us);
  profile.samples.forEach((leaf, index) => {
    const us = profile.timeDeltas[index + 1] ?? 0;
    const own = parts.get(leaf) ?? IDLE;
    if (own === IDLE) return;
    add(alone, own, us);
    const met = new Set<string>();
    for (let at: number | undefined = leaf; at !== undefined; at = parents.get(at))
      met.add(parts.get(at) ?? IDLE);
    for (const part of met) if (part !== '(root)') add(within, part, us);
  });
  return [...within]
    .map(([part, us]) => ({
      part,
      alone: (alone.get(part) ?? 0) / commands,
      within: us / commands,
    }))
    .sort((a, b) => b.within - a.within);
}
