import { randomUUID } from 'node:crypto';
import { ADMIN, newSecret } from '../support/service/processes';
import { administratorMade } from '../support/clients/sign-in';
import { SMALL_HEAPS } from '../support/service/small-heap';

/** A crowd signs up at once, while somebody who has an account signs in. */

const SIGNUPS = 280;
const SIGN_INS = 10;
/**
 * Signups that may be hashed while one sign-in waits and is hashed: the one under way, and those
 * that the other place takes on meanwhile. Some more may be answered, whose hashes were ready
 * before.
 */
const SIGNUPS_MEANWHILE_MAX = 8;

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
}

async function post(url: string, path: string, body: object): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return { status: response.status, retryAfter: response.headers.get('retry-after') };
}

it.each(SMALL_HEAPS)(
  'each sign-in goes before the signups that wait, and those that are too many are refused (%s)',
  async (_way, start) => {
    const { url, api } = await start(newSecret());
    const credentials = { username: ADMIN.username, password: ADMIN.password };
    await administratorMade(url);
    const answers: Answer[] = [];
    let made = 0;
    const flood = Array.from({ length: SIGNUPS }, async () => {
      const answer = await post(url, '/api/auth/signup', {
        username: randomUUID(),
        password: 'a good pass phrase',
      });
      answers.push(answer);
      if (answer.status === 201) made += 1;
    });
    const meanwhile: number[] = [];
    for (let number = 0; number < SIGN_INS; number += 1) {
      const before = made;
      expect((await post(url, '/api/auth/login', credentials)).status).toBe(200);
      meanwhile.push(made - before);
    }
    expect(answers.length).toBeLessThan(SIGNUPS);
    await Promise.all(flood);
    expect(Math.max(...meanwhile)).toBeLessThanOrEqual(SIGNUPS_MEANWHILE_MAX);
    const refused = answers.filter(({ status }) => status === 503);
    // A promise is an answer as well: it is given to whoever waits longer than an API waits.
    const taken = answers.filter(({ status }) => status === 201 || status === 202);
    expect(refused.length + taken.length).toBe(SIGNUPS);
    expect(refused.length).toBeGreaterThan(SIGNUPS / 2);
    expect(refused.every(({ retryAfter }) => Number(retryAfter) > 0)).toBe(true);
    expect(api.running).toBe(true);
  },
  300_000,
);
