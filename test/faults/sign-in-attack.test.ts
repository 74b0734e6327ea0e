import { randomUUID } from 'node:crypto';
import { Borrowers, BORROWERS } from '../support/clients/borrowers';
import { held } from '../support/run/held';
import { ADMIN, newSecret, type Environment } from '../support/service/processes';
import {
  atOnce,
  post,
  signIn,
  signInDuring,
  statusCounts,
  type Answer,
  type Origin,
} from '../support/clients/sign-in-attack';
import { administratorMade } from '../support/clients/sign-in';
import { HEAP_MB, SMALL_HEAPS } from '../support/service/small-heap';
import { audit, disagreements } from '../support/check/storm-check';

/**
 * Many addresses guess passwords and sign up at once, while others borrow and the administrator
 * signs in.
 */

/** Wrong tries that are looked at before the first delay. */
const FREE_TRIES = 10;
const GUESSES = 45;
const GUESSERS = 5;
const PROXIED_GUESSES = 64;
const SIGNUPS = 200;
/** What an API takes by default, in ten minutes. */
const SIGNUPS_PER_ADDRESS = 100;
/** Longest delay of an account at an address where it signed in before, seconds. */
const KNOWN_DELAY_MAX_S = 60;

/** The administrator and the attacker come through one proxy. */
const PROXY = '127.0.0.2';
const HOME: Origin = { localAddress: PROXY, forwardedFor: '203.0.113.2' };
const ATTACKER: Origin = { localAddress: PROXY, forwardedFor: '203.0.113.7' };
const ELSEWHERE: Origin = { localAddress: '127.0.0.3' };
const guesser = (index: number): Origin => ({ localAddress: `127.0.0.${10 + (index % GUESSERS)}` });

const adminSignsIn = (url: string, origin: Origin) =>
  signIn(url, ADMIN.username, ADMIN.password, origin);
const guess = (url: string, username: string, origin: Origin) =>
  signIn(url, username, randomUUID(), origin);
/** Half of them on the administrator's name. */
const guessBoth = (url: string) =>
  atOnce(PROXIED_GUESSES, (index) =>
    guess(url, index % 2 ? ADMIN.username : `reader-${index}`, ATTACKER),
  );
const guessReaders = (url: string) =>
  atOnce(PROXIED_GUESSES, (index) => guess(url, `reader-${index}`, ATTACKER));
const guessAdmin = (url: string) =>
  atOnce(PROXIED_GUESSES, () => guess(url, ADMIN.username, ATTACKER));
const signUp = (url: string, origin: Origin) =>
  post(url, '/api/auth/signup', { username: randomUUID(), password: randomUUID() }, origin);

const count = (answers: readonly Answer[], status: number): number =>
  statusCounts(answers)[status] ?? 0;
const slowestMs = (answers: readonly Answer[]): number =>
  Math.round(Math.max(...answers.map(({ tookMs }) => tookMs)));

describe.each(SMALL_HEAPS)('a crowd that guesses passwords and signs up (%s)', (_way, start) => {
  /** Borrowers at work, and the administrator signed in at home. */
  async function begin(more: Environment) {
    const secret = newSecret();
    const started = await start(secret, {
      SIGNUPS_PER_ADDRESS: `${SIGNUPS_PER_ADDRESS}`,
      SIGNUPS_IN_ALL: '1000',
      ...more,
    });
    const { url } = started;
    await administratorMade(url);
    expect((await adminSignsIn(url, HOME)).status).toBe(200);
    const borrowers = await Borrowers.atWork(url, secret);
    const end = async () => {
      const borrowersMs = await borrowers.endInTime();
      expect(started.children.map(({ running }) => running)).toEqual(
        started.children.map(() => true),
      );
      expect(await disagreements(borrowers.prepared, url)).toEqual([]);
      await audit(started.env, borrowers.prepared);
      // Another system follows, and what still runs would cost it time.
      await Promise.all(started.children.map((child) => child.stop()));
      return borrowersMs;
    };
    return { ...started, end };
  }

  it('is delayed, while the administrator signs in and the borrowers continue', async () => {
    const { url, env, end } = await begin({ TRUSTED_PROXIES: '1' });
    const guesses = atOnce(GUESSES, (index) => guess(url, ADMIN.username, guesser(index)));
    const own = await signInDuring(url, HOME, guesses);
    expect(statusCounts(await guesses)).toEqual({ 401: FREE_TRIES, 429: GUESSES - FREE_TRIES });
    // The price: the right password waits, too, where nobody has signed in with it before.
    expect((await adminSignsIn(url, ELSEWHERE)).status).toBe(429);

    const proxied = guessBoth(url);
    own.push(...(await signInDuring(url, HOME, proxied)));
    const looked = count(await proxied, 401);
    // The account may have come to the end of a delay.
    expect(looked).toBeLessThan(PROXIED_GUESSES / 2 + FREE_TRIES);
    expect(looked + count(await proxied, 429)).toBe(PROXIED_GUESSES);

    const signups = atOnce(SIGNUPS, (index) => signUp(url, guesser(index)));
    own.push(...(await signInDuring(url, HOME, signups)));
    const refused = count(await signups, 429) + count(await signups, 503);
    expect(refused).toBeGreaterThan(SIGNUPS / 2);

    expect(statusCounts(own)).toEqual({ 200: own.length });
    const borrowersMs = await end();
    const tried = `${GUESSES} wrong tries on a name from ${GUESSERS} addresses, ${PROXIED_GUESSES} of an address behind a trusted proxy, ${SIGNUPS} signups, each at once, a heap of ${HEAP_MB} MiB`;
    const what = `${FREE_TRIES} and ${looked} passwords were looked at, ${refused} signups refused; the administrator signed in ${own.length} times of ${own.length}, in ${slowestMs(own)} ms at most; 99 % of the calls of ${BORROWERS} borrowers took at most ${borrowersMs} ms`;
    await held(28, env, tried, what);
  }, 900_000);

  it('keeps the administrator out for a minute at most, where the proxy is not trusted', async () => {
    const { url, env, end } = await begin({});
    const others = guessReaders(url);
    const own = await signInDuring(url, HOME, others);
    expect(statusCounts(await others)).toEqual({ 401: PROXIED_GUESSES });
    expect(statusCounts(own)).toEqual({ 200: own.length });

    // All clients of the proxy are one: wrong tries on this name here are like those of its user.
    expect(statusCounts(await guessAdmin(url))).toEqual({
      401: FREE_TRIES,
      429: PROXIED_GUESSES - FREE_TRIES,
    });
    const { status, retryAfterS } = await adminSignsIn(url, HOME);
    expect(status === 200 || retryAfterS <= KNOWN_DELAY_MAX_S).toBe(true);
    await end();
    const tried = `${PROXIED_GUESSES} wrong tries on other names, and as many on the administrator's, behind a proxy that is not trusted`;
    await held(
      28,
      env,
      tried,
      `the former shut out nobody else, the latter the administrator for at most ${KNOWN_DELAY_MAX_S} s at a time`,
    );
  }, 900_000);
});
