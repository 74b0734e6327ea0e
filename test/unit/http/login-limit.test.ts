import { pino } from 'pino';
import { createLoginLimit, type LoginLimit } from '../../../api/identity/login-limit';

const logger = pino({ level: 'silent' });
const address = '192.0.2.7';

async function triesUntilLimited(limit: LoginLimit, username: string, from = address): Promise<number> {
  for (let tries = 0; tries < 300; tries += 1) {
    try {
      await limit.count(username, from);
    } catch (error) {
      expect(error).toMatchObject({ code: 'RATE_LIMITED', headers: { 'Retry-After': expect.stringMatching(/^\d+$/) as string } });
      return tries;
    }
  }
  return Infinity;
}

describe('the login limit', () => {
  it('counts by username, however it is spelled, and address', async () => {
    const limit = createLoginLimit({ logger });
    expect(await triesUntilLimited(limit, 'ada')).toBe(10);
    expect(await triesUntilLimited(limit, 'ADA')).toBe(0);
    expect(await triesUntilLimited(limit, 'eve')).toBe(10);
    expect(await triesUntilLimited(limit, 'ada', '192.0.2.8')).toBe(10);
  });

  it('counts many tries at once as many', async () => {
    const limit = createLoginLimit({ logger });
    const tries = await Promise.allSettled(Array.from({ length: 50 }, () => limit.count('ada', address)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  });

  it('forgets the failed tries once the password was right', async () => {
    const limit = createLoginLimit({ logger });
    for (let round = 0; round < 300; round += 1) {
      await limit.count('ada', address);
      await limit.forgive('ada', address);
    }
    expect(await triesUntilLimited(limit, 'ada')).toBe(10);
  });

  it('bounds the tries of one address over all names', async () => {
    const limit = createLoginLimit({ logger });
    for (let name = 0; name < 200; name += 1) await limit.count(`name-${name}`, address);
    expect(await triesUntilLimited(limit, 'one more')).toBe(0);
  });

  it('goes on in memory while Redis is away', async () => {
    const limit = createLoginLimit({ logger, sendToRedis: () => Promise.reject(new Error('away')) });
    expect(await triesUntilLimited(limit, 'ada')).toBe(10);
  });
});
