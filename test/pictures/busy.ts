import { newPoison, type Poison } from '../support/faults/poison';
import { newSecret, startServers } from '../support/service/processes';
import { exportedSecret, targetAt, type Target } from '../support/service/target';
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

async function call(
  { url }: Target,
  token: string,
  path: string,
  body: object,
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

/** Borrows and returns one title after the other, until it is told to end. */
async function reads(target: Target, titles: readonly number[], state: { isOver: boolean }) {
  const token = target.token();
  for (let turn = Math.floor(Math.random() * titles.length); !state.isOver; turn += 1) {
    const bookInfoId = titles[turn % titles.length];
    await call(target, token, '/api/borrows', { bookInfoId });
    await call(target, token, '/api/returns', { bookInfoId });
  }
}

async function deadLetter(target: Target, poison: Poison): Promise<number> {
  const bookInfoId = await registered(target, ['Nocturne', 'Anonymous', 1900]);
  await poison.set({ [bookInfoId]: 'throw' });
  await call(target, target.token(), '/api/borrows', { bookInfoId });
  await poison.lift();
  return bookInfoId;
}

/** `partitions`: of each of the four services. */
export async function busyService(partitions: number, readers: number): Promise<Busy> {
  const poison = await newPoison();
  const env = {
    ...poison.env,
    JWT_SECRET: exportedSecret(newSecret),
    COMMAND_PARTITIONS: String(partitions),
  };
  const { apis } = await startServers({ apis: 1, workers: 2, env });
  const target = targetAt(
    'servers',
    apis.map(({ url }) => url),
  );
  const titles: number[] = [];
  for (const book of BOOKS) titles.push(await registered(target, book));
  const poisoned = await deadLetter(target, poison);
  const borrower = { token: target.token({ username: 'grace' }), bookInfoId: titles[0] ?? 0 };
  await call(target, borrower.token, '/api/borrows', { bookInfoId: borrower.bookInfoId });
  const state = { isOver: false };
  const running = Array.from({ length: readers }, () => reads(target, titles, state));
  return {
    target,
    apiPid: apis[0]?.child.pid ?? 0,
    poisoned,
    borrower,
    stop: async () => {
      state.isOver = true;
      await Promise.allSettled(running);
    },
  };
}
