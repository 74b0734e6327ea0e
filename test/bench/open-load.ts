import { prepared, wrk } from './load';
import type { Statuses } from './send';
import type { Work } from './work';

/**
 * Load that comes at a fixed rate, whether answers come or not, as from many people who know
 * nothing of each other. Times count from the moment at which a request was due, so that none is
 * hidden by a generator that waits.
 */

/**
 * Connections, all there before the load begins: people keep theirs, or a proxy does, and Node
 * takes new ones one in each turn of its event loop. A request that finds all of them busy waits,
 * and its time counts.
 */
const CONNECTIONS = 4096;
/** How long they are there before the load begins, seconds. */
const CONNECTING_S = 3;
/** How long the last answers may take, seconds. */
const ENDING_S = 60;

export interface OpenLoad {
  /** Requests a second. */
  readonly arrivals: number;
  readonly seconds: number;
}

export interface OpenServed {
  /** Successes within the time of the load, a second. */
  readonly rate: number;
  /** Time until a success, milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Time until an answer that the service is too busy, milliseconds; null when there was none. */
  readonly refusedP50: number | null;
  readonly refusedP99: number | null;
  /** All answers. */
  readonly statuses: Statuses;
}

/**
 * Sends the requests at the rate, over and over, waits for the last answer, and tells what came
 * back.
 */
export async function putOpenLoad(
  url: string,
  { arrivals, seconds }: OpenLoad,
  work: Work,
  tokens: readonly string[],
): Promise<OpenServed> {
  const { file } = await prepared(work, tokens);
  const duration = CONNECTING_S + seconds + ENDING_S;
  const options = [
    '--threads',
    '1',
    '--connections',
    String(CONNECTIONS),
    '--duration',
    `${duration}s`,
    '--timeout',
    `${duration}s`,
  ];
  const line = await wrk(
    'open-load.lua',
    url,
    options,
    [file, ...[arrivals, seconds, 1000 * CONNECTING_S].map(String)],
    duration,
  );
  const { missing, inTime, ...served } = JSON.parse(line) as Omit<OpenServed, 'rate'> & {
    readonly inTime: number;
    readonly missing?: number;
  };
  if (missing !== undefined) throw new Error(`${missing} requests got no answer`);
  return { rate: inTime / seconds, ...served };
}
