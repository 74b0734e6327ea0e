import { pino } from 'pino';
import { createLoginLimit, type LoginLimit } from '../../../api/identity/login-limit';

const logger = pino({ level: 'silent' });
const address = '192.0.2.7';

const wrong = () => Promise.resolve(false);
const right = () => Promise.resolve(true);

async function triesUntilLimited(
  limit: LoginLimit,
  username: string,
  from = address,
): Promise<number> {
  for (let tries = 0; tries < 300; tries += 1) {
    try {
      await limit.guard(username, from, wrong);
    } catch (error) {
      expect(error).toMatchObject({
        code: 'RATE_LIMITED',
        headers: { 'Retry-After': expect.stringMatching(/^\d+$/) as string },
      });
      return tries;
    }
  }
  return Infinity;
}

describe('the login limit', () => {
  it('counts by username, however it is spelled, and wherever the tries come from', async () => {
    const limit = createLoginLimit({ logger });
    expect(await triesUntilLimited(limit, 'ada')).toBe(10);
    expect(await triesUntilLimited(limit, 'ADA')).toBe(0);
    expect(await triesUntilLimited(limit, 'eve')).toBe(10);
    expect(await triesUntilLimited(limit, 'ada', '198.51.100.8')).toBe(0);
  });

  it('adds up the tries of one username from several addresses', async () => {
    const limit = createLoginLimit({ logger });
    for (let tries = 0; tries < 9; tries += 1)
      await limit.guard('ada', `198.51.100.${tries}`, wrong);
    expect(await triesUntilLimited(limit, 'ada')).toBe(1);
  });

  it('makes each further try wait twice as long, up to 15 minutes', async () => {
    jest.useFakeTimers();
    const limit = createLoginLimit({ logger });
    await triesUntilLimited(limit, 'ada');
    const delays: number[] = [];
    for (let tries = 0; tries < 9; tries += 1) {
      const waitS = await limit.guard('ada', address, wrong).then(
        () => 0,
        (error: unknown) =>
          Number((error as { headers: Record<string, string> }).headers['Retry-After']),
      );
      delays.push(waitS);
      await jest.advanceTimersByTimeAsync(waitS * 1000 + 1);
      await limit.guard('ada', address, wrong);
    }
    jest.useRealTimers();
    expect(delays).toEqual([10, 20, 40, 80, 160, 320, 640, 900, 900]);
  });

  it('does not let others shut out an account at an address where it signed in before', async () => {
    const limit = createLoginLimit({ logger });
    await limit.guard('ada', address, right);
    await triesUntilLimited(limit, 'ada', '198.51.100.8');
    for (let name = 0; name < 200; name += 1) await limit.guard(`name-${name}`, address, wrong);
    expect(await triesUntilLimited(limit, 'one more')).toBe(0);
    expect(await limit.guard('ada', address, right)).toBe(true);
    expect(await triesUntilLimited(limit, 'ada')).toBe(10);
  });

  it('lets hashes of an account at its known address wait in a lane of their own', async () => {
    const limit = createLoginLimit({ logger });
    const lanes: string[] = [];
    const noted = (lane: string) => Promise.resolve(lanes.push(lane) > 0);
    for (const from of [address, address, '198.51.100.8']) await limit.guard('ada', from, noted);
    await limit.guard('eve', address, noted);
    expect(lanes).toEqual(['sign-in', 'known', 'sign-in', 'sign-in']);
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
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => limit.guard('ada', address, right)),
    );
    expect(answers).not.toContain(false);
    expect(await triesUntilLimited(limit, 'ada')).toBe(10);
  });

  it('bounds the tries of one address over all names', async () => {
    const limit = createLoginLimit({ logger });
    for (let name = 0; name < 200; name += 1) await limit.guard(`name-${name}`, address, wrong);
    expect(await triesUntilLimited(limit, 'one more')).toBe(0);
  });

  it('continues in memory while Redis is unavailable', async () => {
    const limit = createLoginLimit({
      logger,
      sendToRedis: () => Promise.reject(new Error('away')),
    });
    expect(await triesUntilLimited(limit, 'ada')).toBe(10);
  });
});
