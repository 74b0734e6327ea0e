import { setTimeout as pause } from 'node:timers/promises';
import { newPoison, type Poison } from '../support/faults/poison';
import {
  newSecret,
  startEmbedded,
  startServers,
  type Environment,
} from '../support/service/processes';
import { exportedSecret, targetAt, type Target, type TargetName } from '../support/service/target';
import { BOOKS } from './books';

/** A service at work: readers who borrow and return, and a title whose commands fail. */

const COPIES = 50;

export interface Busy {
  readonly target: Target;
  /** The process of the API. */
  readonly apiPid: number;
  /** A title with a borrow that became a dead letter. */
  readonly poisoned: number;
  /** A reader, with the title that the reader has on loan. */
  readonly borrower: { readonly token: string; readonly bookInfoId: number };
  stop(): Promise<void>;
}

/** Sends a write, and returns its answer. */
export async function call(
  { url }: Target,
  token: string,
  path: string,
  body: object = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function registered(
  target: Target,
  [title, author, year]: (typeof BOOKS)[number],
): Promise<number> {
  const body = { title, author, publicationDate: `${year}-01-01`, copies: COPIES };
  return (await call(target, target.admin, '/api/book-infos', body))['bookInfoId'] as number;
}

interface Reading {
  readonly target: Target;
  readonly titles: readonly number[];
  /** Between one title and the next, milliseconds. */
  readonly restMs: number;
  readonly state: { isOver: boolean };
}

/** Borrows and returns one title after the other, until it is told to end. */
async function reads({ target, titles, restMs, state }: Reading) {
  const token = target.token();
  for (let turn = Math.floor(Math.random() * titles.length); !state.isOver; turn += 1) {
    const bookInfoId = titles[turn % titles.length];
    await call(target, token, '/api/borrows', { bookInfoId });
    await call(target, token, '/api/returns', { bookInfoId });
    if (restMs > 0) await pause(restMs);
  }
}

async function deadLetter(target: Target, poison: Poison): Promise<number> {
  const bookInfoId = await registered(target, ['Nocturne', 'Anonymous', 1900]);
  await poison.set({ [bookInfoId]: 'throw' });
  await call(target, target.token(), '/api/borrows', { bookInfoId });
  await poison.lift();
  return bookInfoId;
}

async function start(on: TargetName, env: Environment): Promise<{ url: string; pid: number }> {
  const { url, child } =
    on === 'embedded'
      ? await startEmbedded({ env })
      : (await startServers({ apis: 1, workers: 2, env })).apis[0]!;
  return { url, pid: child.pid };
}

/** `partitions`: of each of the four services. */
export async function busyService(
  partitions: number,
  readers: number,
  { on = 'servers', restMs = 0 }: { on?: TargetName; restMs?: number } = {},
): Promise<Busy> {
  const poison = await newPoison();
  const env = {
    ...poison.env,
    JWT_SECRET: exportedSecret(newSecret),
    COMMAND_PARTITIONS: String(partitions),
  };
  const { url, pid } = await start(on, env);
  const target = targetAt(on, [url]);
  const titles: number[] = [];
  for (const book of BOOKS) titles.push(await registered(target, book));
  const poisoned = await deadLetter(target, poison);
  const borrower = { token: target.token({ username: 'grace' }), bookInfoId: titles[0] ?? 0 };
  await call(target, borrower.token, '/api/borrows', { bookInfoId: borrower.bookInfoId });
  const state = { isOver: false };
  const running = Array.from({ length: readers }, () => reads({ target, titles, restMs, state }));
  return {
    target,
    apiPid: pid,
    poisoned,
    borrower,
    stop: async () => {
      state.isOver = true;
      await Promise.allSettled(running);
    },
  };
}
