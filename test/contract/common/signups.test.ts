import { randomUUID } from 'node:crypto';
import supertest, { type Response } from 'supertest';
import { startService } from '../../support/service/start-service';
import { expectProblem } from '../../support/clients/problems';
import type { Target } from '../../support/service/target';

/** How many accounts may be made, counted over all API processes. */
const PER_ADDRESS = 3;
const IN_ALL = 7;
const PASSWORD = 'a good pass phrase';

let limited: Target;
let turns = 0;
beforeAll(async () => {
  limited = (
    await startService({
      apis: 2,
      env: {
        SIGNUPS_PER_ADDRESS: String(PER_ADDRESS),
        SIGNUPS_IN_ALL: String(IN_ALL),
        TRUSTED_PROXIES: '1',
      },
    })
  ).target;
});

const post = (path: string, address: string, body: object) => {
  turns += 1;
  const url = limited.urls[turns % limited.urls.length] ?? '';
  return supertest(url).post(path).set('X-Forwarded-For', address).send(body);
};
const signUp = (address: string, more: object = {}) =>
  post('/api/auth/signup', address, { username: randomUUID(), password: PASSWORD, ...more });

function expectLimited(response: Response): void {
  expectProblem(response, 429, 'RATE_LIMITED');
  expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(600);
}

it('an address makes so many accounts at whichever API, and requests that are no signup do not count', async () => {
  for (let tries = 0; tries < PER_ADDRESS; tries += 1) {
    await signUp('192.0.2.1', { password: 'short' }).expect(400);
    await signUp('192.0.2.1').expect(201);
  }
  expectLimited(await signUp('192.0.2.1'));
  expectLimited(await signUp('192.0.2.1'));
});

it('all addresses together make so many, of which one that is refused takes nothing', async () => {
  for (let number = PER_ADDRESS; number < IN_ALL; number += 1)
    await signUp(`198.51.100.${number}`).expect(201);
  expectLimited(await signUp('203.0.113.1'));
});

it('users with an account sign in meanwhile, and administrators create accounts', async () => {
  const username = randomUUID();
  await post('/api/users', '192.0.2.1', { username, password: PASSWORD })
    .auth(limited.admin, { type: 'bearer' })
    .expect(201);
  await post('/api/auth/login', '192.0.2.1', { username, password: PASSWORD }).expect(200);
});
