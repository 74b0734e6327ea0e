import type { Child } from './child';
import { REAL_HASHES, startEmbedded, startServers, type Environment } from './processes';

/** The service with little memory, in both ways of running. */

export const HEAP_MB = 256;

export interface SmallHeap {
  readonly url: string;
  /** The program that answers at `url`. */
  readonly api: Child;
  /** All programs, that one among them. */
  readonly children: readonly Child[];
  readonly env: Environment;
}

type Start = (secret: string, more?: Environment) => Promise<SmallHeap>;

const environment = (secret: string): Environment => ({
  ...REAL_HASHES,
  JWT_SECRET: secret,
  NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
});

const onEmbedded: Start = async (secret, more) => {
  const { url, child, dataDir } = await startEmbedded({ env: { ...environment(secret), ...more } });
  return { url, api: child, children: [child], env: { DATA_DIR: dataDir } };
};

const onServers: Start = async (secret, more) => {
  const system = await startServers({ env: { ...environment(secret), ...more } });
  const [api] = system.apis;
  if (!api) throw new Error('no API was started');
  const children = [...system.apis, ...system.workers].map(({ child }) => child);
  return { url: api.url, api: api.child, children, env: system.env };
};

/** Rows for `it.each`: the name of a way, and what starts it. */
export const SMALL_HEAPS: readonly (readonly [way: string, start: Start])[] = [
  ['embedded', onEmbedded],
  ['servers', onServers],
];
