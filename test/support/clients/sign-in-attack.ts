import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { ADMIN } from '../service/processes';

/**
 * Clients at addresses of their own that guess passwords and sign up, and one who signs in
 * meanwhile.
 */

/** Where a request comes from. Any address of 127.0.0.0/8 can be the source of a connection. */
export interface Origin {
  readonly localAddress?: string;
  /** `X-Forwarded-For`, as a proxy sends it. */
  readonly forwardedFor?: string;
}

export interface Answer {
  readonly status: number;
  /** 0 where the answer names none. */
  readonly retryAfterS: number;
  readonly tookMs: number;
}

/** Pause between two sign-ins of the same person, milliseconds. */
const PAUSE_MS = 200;

export function post(
  url: string,
  path: string,
  body: object,
  { localAddress, forwardedFor }: Origin,
): Promise<Answer> {
  const startedAt = performance.now();
  const headers = {
    'content-type': 'application/json',
    ...(forwardedFor && { 'x-forwarded-for': forwardedFor }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}${path}`,
      { method: 'POST', headers, agent: false, ...(localAddress && { localAddress }) },
      (response) => {
        response.resume().once('end', () => {
          const { statusCode: status = 0, headers: told } = response;
          resolve({
            status,
            retryAfterS: Number(told['retry-after'] ?? 0),
            tookMs: performance.now() - startedAt,
          });
        });
      },
    );
    sent.once('error', reject).end(JSON.stringify(body));
  });
}

export function signIn(
  url: string,
  username: string,
  password: string,
  origin: Origin,
): Promise<Answer> {
  return post(url, '/api/auth/login', { username, password }, origin);
}

/** So many requests at once, each from where `send` says. */
export function atOnce(count: number, send: (index: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => send(index)));
}

export const statusCounts = (answers: readonly Answer[]): Readonly<Record<number, number>> =>
  answers.reduce<Record<number, number>>(
    (counts, { status }) => ({ ...counts, [status]: (counts[status] ?? 0) + 1 }),
    {},
  );

/**
 * Returns what the administrator is answered, who signs in with the right password over and over
 * until `attack` has ended.
 */
export async function signInDuring(
  url: string,
  origin: Origin,
  attack: Promise<unknown>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const isOver = () => Promise.race([attack.then(() => true), pause(PAUSE_MS, false)]);
  do answers.push(await signIn(url, ADMIN.username, ADMIN.password, origin));
  while (!(await isOver()));
  return answers;
}
