import supertest from 'supertest';
import { startService } from '../../support/service/start-service';
import { expectProblem } from '../../support/clients/problems';
import type { Target } from '../../support/service/target';

/** Most requests of one client in a minute, counted over all API processes. */
const LIMIT = 12;

let limited: Target;
beforeAll(async () => {
  limited = (await startService({ apis: 2, env: { RATE_LIMIT_PER_MINUTE: String(LIMIT) } })).target;
});

/** Reads that go round the API processes, by a user, or with a token that is none. */
function read(turn: number, token: string) {
  return supertest(limited.urls[turn % limited.urls.length] ?? '')
    .get('/api/holds')
    .auth(token, { type: 'bearer' });
}

const newUser = () => {
  const userId = limited.newUserId();
  return limited.token({ userId, username: `reader-${userId}` });
};

it('limits a user with too many requests at every API, and no other user', async () => {
  const token = newUser();
  for (let turn = 0; turn < LIMIT; turn += 1) {
    const { status, headers } = await read(turn, token);
    expect([status, headers['ratelimit-policy'], headers['ratelimit']]).toEqual([
      200,
      expect.stringContaining(`q=${LIMIT}; w=60`),
      expect.stringContaining(`r=${LIMIT - 1 - turn}; t=`),
    ]);
  }
  for (const turn of [0, 1]) {
    const refused = await read(turn, token);
    expectProblem(refused, 429, 'RATE_LIMITED', { 'violated-policies': ['reads'] });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
  }
  expect((await read(0, newUser())).status).toBe(200);
});

it('limits bad tokens by address, so that nobody can try them without end', async () => {
  const statuses: number[] = [];
  for (let turn = 0; turn <= LIMIT; turn += 1)
    statuses.push((await read(turn, `guess-${turn}`)).status);
  // Whoever reads the document without a token is counted as well.
  expect([...new Set(statuses)]).toEqual([401, 429]);
  expect(statuses.filter((status) => status === 401).length).toBeGreaterThan(LIMIT / 2);
  expectProblem(await limited.api().get('/api/book-infos'), 429, 'RATE_LIMITED', {
    'violated-policies': ['anonymous'],
  });
  expect((await limited.api().get('/livez')).status).toBe(200);
});
