import { Child, type ChildOptions } from '../../service/child';
import { timed } from '../../run/times/kinds';

/** How long a server may take to answer after its start, milliseconds. */
export const START_MS = 120_000;

/**
 * A server of our own on loopback, which a test may also kill, freeze and start again on the same
 * port and data.
 */
export interface PrivateServer {
  readonly url: string;
  readonly child: () => Child;
  /** Kills it. Data that it confirmed is kept. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, and waits until it answers. */
  start(): Promise<void>;
}

/**
 * Starts a server and waits until it answers. `options` may be a function, which is called before
 * each start.
 */
export async function startPrivate(
  url: string,
  options: ChildOptions | (() => Promise<ChildOptions>),
  answers: () => Promise<boolean>,
): Promise<PrivateServer> {
  let child: Child | undefined;
  const start = async () => {
    const started = new Child(typeof options === 'function' ? await options() : options);
    child = started;
    await timed('servers', () => started.until('answers', START_MS, answers));
  };
  await start();
  return {
    url,
    start,
    child: () => child as Child,
    kill: async () => {
      await child?.kill();
    },
  };
}
