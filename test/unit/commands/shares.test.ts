import {
  SHARE_MIN,
  Shares,
  TURN_MS,
  TURN_WAIT_MS,
  WAITING_MAX,
} from '../../../api/commands/shares';

/** What a client has begun, and what became of what it had to wait for. */
async function rig() {
  const shares = new Shares();
  const begun: string[] = [];
  const refused: unknown[] = [];
  const send = (client: string, count: number) => {
    for (let index = 0; index < count; index += 1) {
      shares.enter(client).then(
        () => begun.push(client),
        (error: unknown) => refused.push(error),
      );
    }
    return jest.advanceTimersByTimeAsync(0);
  };
  const end = (client: string, count: number) => {
    for (let index = 0; index < count; index += 1) shares.leave(client);
    return jest.advanceTimersByTimeAsync(0);
  };
  const begunBy = (client: string) => begun.filter((one) => one === client).length;
  await jest.advanceTimersByTimeAsync(0);
  return { send, end, begun, begunBy, refused };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a client', () => {
  it('that is alone may have any number of commands under way', async () => {
    const { send, begunBy } = await rig();
    await send('busy', 1000);
    expect(begunBy('busy')).toBe(1000);
  });

  it('that was alone before is still alone when it comes back', async () => {
    const { send, end, begunBy } = await rig();
    await send('busy', 1);
    await end('busy', 1);
    await send('busy', 1000);
    expect(begunBy('busy')).toBe(1001);
  });

  it('has at most a quarter of what the others have under way, while they have something', async () => {
    const { send, begunBy } = await rig();
    for (let other = 0; other < 200; other += 1) await send(`other ${other}`, 1);
    await send('busy', 200);
    expect(begunBy('busy')).toBe(50);
  });

  it('may have a few under way, however little the others have', async () => {
    const { send, begunBy } = await rig();
    await send('other', 1);
    await send('busy', 100);
    expect(begunBy('busy')).toBe(SHARE_MIN);
  });

  it('with few under way never waits, whatever another one sends', async () => {
    const { send, begunBy } = await rig();
    await send('busy', 5000);
    await send('other', SHARE_MIN);
    expect(begunBy('other')).toBe(SHARE_MIN);
  });

  it('gets its turns together, after some of its commands have ended', async () => {
    const { send, end, begunBy } = await rig();
    await send('other', 1);
    await send('busy', SHARE_MIN + 3);
    await end('busy', 2);
    await jest.advanceTimersByTimeAsync(TURN_MS - 1);
    expect(begunBy('busy')).toBe(SHARE_MIN);
    await jest.advanceTimersByTimeAsync(1);
    expect(begunBy('busy')).toBe(SHARE_MIN + 2);
  });

  it('waits no longer once the commands of all others have ended for a while', async () => {
    const { send, end, begunBy } = await rig();
    await send('other', 1);
    await send('busy', 2 * SHARE_MIN);
    await end('other', 1);
    await jest.advanceTimersByTimeAsync(TURN_MS);
    expect(begunBy('busy')).toBe(2 * SHARE_MIN);
  });

  it('still has only its share at the moment when commands of the others end together', async () => {
    const { send, end, begunBy } = await rig();
    for (let other = 0; other < 4; other += 1) await send(`other ${other}`, 1);
    for (let other = 0; other < 4; other += 1) await end(`other ${other}`, 1);
    await send('busy', 100);
    expect(begunBy('busy')).toBe(SHARE_MIN);
  });

  it('leaves no timer behind when nobody waits', async () => {
    const { send, end } = await rig();
    await send('other', 1);
    await send('busy', SHARE_MIN + 3);
    await end('other', 1);
    await jest.advanceTimersByTimeAsync(TURN_MS);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('has its turn after some seconds, though nothing ends', async () => {
    const { send, begunBy, refused } = await rig();
    await send('other', 1);
    await send('busy', SHARE_MIN + 3);
    await jest.advanceTimersByTimeAsync(TURN_WAIT_MS - 1);
    expect(begunBy('busy')).toBe(SHARE_MIN);
    await jest.advanceTimersByTimeAsync(1);
    expect(begunBy('busy')).toBe(SHARE_MIN + 3);
    expect(refused).toEqual([]);
  });

  it('is refused what exceeds the most that may wait', async () => {
    const { send, begunBy, refused } = await rig();
    await send('other', 1);
    await send('busy', SHARE_MIN + WAITING_MAX + 2);
    expect(refused).toMatchObject([{ code: 'RATE_LIMITED' }, { code: 'RATE_LIMITED' }]);
    expect(begunBy('busy')).toBe(SHARE_MIN);
  });
});
