import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Child, ROOT } from '../support/service/child';
import { temporaryFolder } from '../support/run/cleanup';
import { provideProgram } from '../support/servers/private/programs';
import { FIRST_READER } from './library';
import type { Sent } from './send';
import type { Work } from './work';

/**
 * The load on a service: clients each of which sends the next request when it has the answer to the
 * last. It comes from wrk, which leaves nearly all of the processors that they share to the
 * service: a generator on Node takes as much of them as Express does.
 */

export interface Load {
  readonly clients: number;
  readonly seconds: number;
}

export interface Served {
  /** Answers below 400, a second. */
  readonly rate: number;
  readonly succeeded: number;
  /** Answers from 400 on. */
  readonly refused: number;
  /** Requests that got no answer, or none in time. */
  readonly lost: number;
  /** Time until an answer, milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Seconds of processor time that the generator used. */
  readonly processorS: number;
}

/** Longest wait for an answer, seconds. */
const TIMEOUT_S = 30;
/** How long connections are there before the load begins, seconds. */
const CONNECTING_S = 1;
/** How much longer than the load wrk may take, milliseconds: it reads its requests, and ends. */
const SPARE_MS = 30_000;

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}

/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [below, above] = [(sorted.length - 1) >> 1, sorted.length >> 1];
  return ((sorted[below] ?? NaN) + (sorted[above] ?? NaN)) / 2;
}

/** A request as it goes over the wire. */
export function written({ method, path, token, body, prefer }: Sent): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    Host: 'bench',
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(prefer && { Prefer: prefer }),
    ...(text && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
  };
  return [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    text,
  ].join('\r\n');
}

interface Prepared {
  readonly file: string;
  /** How many requests belong together. */
  readonly together: number;
}

/** The requests of each work, which are the same in every round. */
const files = new Map<Work, Promise<Prepared>>();

/** The requests of a work in a file, which a later call finds again. */
export function prepared(work: Work, tokens: readonly string[]): Promise<Prepared> {
  const found = files.get(work) ?? prepare(work, tokens);
  files.set(work, found);
  return found;
}

async function prepare(work: Work, tokens: readonly string[]): Promise<Prepared> {
  const asked = work(tokens);
  const file = join(await temporaryFolder('bench'), 'requests');
  await writeFile(
    file,
    asked.flatMap((requests) => requests.map((request) => `${written(request)}\0`)).join(''),
  );
  return { file, together: asked[0]?.length ?? 1 };
}

/**
 * Runs wrk with a script of this folder, which takes `args` and prints one line of JSON, the
 * result, after `seconds` at the latest.
 */
export async function wrk(
  script: string,
  url: string,
  options: readonly string[],
  args: readonly string[],
  seconds: number,
): Promise<string> {
  const command = await provideProgram(['wrk'], 'The benchmarks need wrk');
  const program = new Child({
    name: 'wrk',
    command,
    args: [...options, '--script', join(ROOT, 'test/bench', script), url, '--', ...args],
  });
  const line = await program.line('tells what came back', 1000 * seconds + SPARE_MS, (text) =>
    text.startsWith('{') ? text : undefined,
  );
  await program.stop();
  return line;
}

/** Puts the load on the service and tells what came back. */
export async function putLoad(
  url: string,
  { clients, seconds }: Load,
  work: Work,
  tokens: readonly string[],
): Promise<Served> {
  const { file, together } = await prepared(work, tokens);
  const duration = CONNECTING_S + seconds;
  const options = [
    '--threads',
    '1',
    '--connections',
    String(clients),
    '--duration',
    `${duration}s`,
    '--timeout',
    `${TIMEOUT_S}s`,
  ];
  const line = await wrk(
    'load.lua',
    url,
    options,
    [file, ...[together, FIRST_READER, clients, 1000 * CONNECTING_S].map(String)],
    duration,
  );
  const { took, answers, refused, lost, p50, p99, processor } = JSON.parse(line) as Record<
    'took' | 'answers' | 'refused' | 'lost' | 'p50' | 'p99' | 'processor',
    number
  >;
  const succeeded = answers - refused;
  return {
    rate: succeeded / (took / 1e6 - CONNECTING_S),
    succeeded,
    refused,
    lost,
    p50: p50 / 1000,
    p99: p99 / 1000,
    processorS: processor,
  };
}
