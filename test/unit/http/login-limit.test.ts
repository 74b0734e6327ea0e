import { pino } from 'pino';
import { createLoginLimit, type LoginLimit } from '../../../api/identity/login-limit';

const logger = pino({ level: 'silent' });
const address = '192.0.2.7';

const wrong = () => Promise.resolve(false);
const right = () => Promise.resolve(true);

async function triesUntilLimited(limit: LoginLimit, username: string, from = address): Promise<number> {
  for (let tries = 0; tries < 300; tries += 1) {
    try {
      await limit.guard(username, from, wrong);
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

  it('looks at no more passwords than that, also when many tries come at once', async () => {
    const limit = createLoginLimit({ logger });
    const verify = jest.fn(wrong);
    await Promise.allSettled(Array.from({ length: 50 }, () => limit.guard('ada', address, verify)));
    expect(verify).toHaveBeenCalledTimes(10);
  });

  it('lets any number of right passwords in, and forgets the failed tries before them', async () => {
    const limit = createLoginLimit({ logger });
    for (let tries = 0; tries < 9; tries += 1) await limit.guard('ada', address, wrong);
    const answers = await Promise.all(Array.from({ length: 50 }, () => limit.guard('ada', address, right)));
    expect(answers).not.toContain(false);
    expect(await triesUntilLimited(limit, 'ada')).toBe(10);
  });

  it('bounds the tries of one address over all names', async () => {
    const limit = createLoginLimit({ logger });
    for (let name = 0; name < 200; name += 1) await limit.guard(`name-${name}`, address, wrong);
    expect(await triesUntilLimited(limit, 'one more')).toBe(0);
  });

  it('goes on in memory while Redis is away', async () => {
    const limit = createLoginLimit({ logger, sendToRedis: () => Promise.reject(new Error('away')) });
    expect(await triesUntilLimited(limit, 'ada')).toBe(10);
  });
});
