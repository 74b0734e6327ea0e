import { setImmediate as turn } from 'node:timers/promises';
import {
  HashTurns,
  hashesAtOnce,
  PASSED_MAX,
  WAITING_MAX,
  type Lane,
} from '../../../api/identity/hash-turns';

/** Hashes that end when the test says so, and the order in which they began. */
function createHashes() {
  const turns = new HashTurns(2);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (lane: Lane, name: string): Promise<void> =>
    turns.run(lane, () => {
      begun.push(name);
      return new Promise((resolve) => ends.push(resolve));
    });
  const endFirst = async () => {
    ends.shift()?.();
    await turn();
  };
  return { turns, begun, ask, endFirst };
}

it('a sign-in begins as soon as it comes, however many signups wait', async () => {
  const { begun, ask } = createHashes();
  for (let number = 0; number < WAITING_MAX.signup; number += 1)
    void ask('signup', `signup ${number}`);
  void ask('sign-in', 'sign-in');
  await turn();
  expect(begun).toEqual(['signup 0', 'sign-in']);
});

it('sign-ins that wait go before signups that came earlier', async () => {
  const { begun, ask, endFirst } = createHashes();
  for (const name of ['a', 'b', 'c']) void ask('signup', name);
  for (const name of ['x', 'y', 'z']) void ask('sign-in', name);
  await turn();
  for (let ended = 0; ended < 4; ended += 1) await endFirst();
  expect(begun).toEqual(['a', 'x', 'y', 'z', 'b']);
});

it('an account at its known address goes before guesses from elsewhere that came earlier', async () => {
  const { begun, ask, endFirst } = createHashes();
  for (const name of ['a', 'b', 'c', 'd']) void ask('sign-in', name);
  void ask('known', 'at home');
  await turn();
  await endFirst();
  expect(begun).toEqual(['a', 'b', 'at home']);
});

it(`a sign-in from elsewhere waits for ${PASSED_MAX} at known addresses at most`, async () => {
  const { begun, ask, endFirst } = createHashes();
  for (let number = 0; number < 3 * PASSED_MAX; number += 1) void ask('known', 'known');
  void ask('sign-in', 'elsewhere');
  await turn();
  while (!begun.includes('elsewhere')) await endFirst();
  expect(begun.indexOf('elsewhere')).toBe(2 + PASSED_MAX);
});

it(`a signup waits for ${PASSED_MAX} sign-ins at most, so that a crowd of them starves none`, async () => {
  const { begun, ask, endFirst } = createHashes();
  for (let number = 0; number < 3 * PASSED_MAX; number += 1) void ask('sign-in', 'sign-in');
  void ask('signup', 'signup');
  await turn();
  while (!begun.includes('signup')) await endFirst();
  // Two had begun before it came.
  expect(begun.indexOf('signup')).toBe(2 + PASSED_MAX);
});

it.each(['signup', 'sign-in'] as const)(
  'a %s beyond those that may wait is refused, and the other lane is not',
  async (lane) => {
    const { begun, ask } = createHashes();
    const places = lane === 'signup' ? 1 : 2;
    for (let number = 0; number < WAITING_MAX[lane] + places; number += 1) void ask(lane, lane);
    await expect(ask(lane, 'one more')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const other = lane === 'signup' ? 'sign-in' : 'signup';
    void ask(other, other);
    await turn();
    expect(begun).toEqual(lane === 'signup' ? ['signup', 'sign-in'] : ['sign-in', 'sign-in']);
  },
);

it('a hash that fails gives its place to the next', async () => {
  const { turns, begun, ask } = createHashes();
  const failed = turns.run('signup', () => Promise.reject(new Error('no memory')));
  void ask('signup', 'next');
  await expect(failed).rejects.toThrow('no memory');
  await turn();
  expect(begun).toEqual(['next']);
});

it.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [64, 2],
])('a machine with %i processors computes %i at once', (processors, atOnce) => {
  expect(hashesAtOnce(processors)).toBe(atOnce);
});
