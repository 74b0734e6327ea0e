import { randomBytes } from 'node:crypto';
import { CommandIds } from '../../../api/commands/command-id';
import { services } from '../../../shared/services';

const NOW = Date.parse('2024-02-28T12:00:00Z');
const DAY_MS = 24 * 3600 * 1000;
const ids = new CommandIds(randomBytes(32), services.commandTypes);

describe('a command id', () => {
  it('tells type, time and owner again, in any process that has the secret', () => {
    const secret = randomBytes(32);
    const id = new CommandIds(secret, services.commandTypes).make('lending.borrow-book', 7, NOW);
    expect(id).toMatch(/^[0-9a-f]{40}$/);
    const known = new CommandIds(secret, services.commandTypes).read(id, NOW + 1000);
    expect(known).toMatchObject({ type: 'lending.borrow-book', createdAt: NOW });
    expect([7, 8, 70, null].map((userId) => known?.isOwnedBy(userId))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('of every type there is tells that type', () => {
    const types = services.commandTypes;
    expect(types.length).toBeGreaterThan(9);
    for (const type of types) expect(ids.read(ids.make(type, 1, NOW), NOW)?.type).toBe(type);
  });

  it('without a token belongs to no user', () => {
    const known = ids.read(ids.make('identity.create-account', null, NOW), NOW);
    expect([null, 0, 1].map((userId) => known?.isOwnedBy(userId))).toEqual([true, false, false]);
  });

  it('is another one each time', () => {
    expect(
      new Set(Array.from({ length: 1000 }, () => ids.make('lending.borrow-book', 1, NOW))).size,
    ).toBe(1000);
  });

  it('is known for 24 hours and no longer', () => {
    const id = ids.make('lending.borrow-book', 1, NOW);
    expect(ids.read(id, NOW + DAY_MS)?.expired).toBe(false);
    expect(ids.read(id, NOW + DAY_MS + 1)?.expired).toBe(true);
  });

  it('is known after the clock was set back by less than that, for a promise is not forgotten', () => {
    const id = ids.make('lending.borrow-book', 1, NOW);
    expect(ids.read(id, NOW - DAY_MS)?.expired).toBe(false);
    expect(ids.read(id, NOW - DAY_MS - 1)?.expired).toBe(true);
  });

  it('that was changed in any digit is unknown or belongs to nobody', () => {
    const id = ids.make('lending.borrow-book', 7, NOW);
    for (let place = 0; place < id.length; place += 1) {
      const digit = (parseInt(id[place] as string, 16) ^ 1).toString(16);
      const known = ids.read(`${id.slice(0, place)}${digit}${id.slice(place + 1)}`, NOW);
      expect([7, null].map((userId) => known?.isOwnedBy(userId) ?? false)).toEqual([false, false]);
      // The last six digits sign the owner only.
      expect(known === null).toBe(place < 34);
    }
  });

  it('that was made with another secret, or by hand, is unknown', () => {
    const other = new CommandIds(randomBytes(32), services.commandTypes);
    expect(ids.read(other.make('lending.borrow-book', 1, NOW), NOW)).toBeNull();
    const made = ids.make('lending.borrow-book', 1, NOW);
    for (const text of [
      '',
      'x',
      '0'.repeat(40),
      'f'.repeat(40),
      made.slice(1),
      `${made}0`,
      made.toUpperCase(),
      ` ${made}`,
      `${made}\n`,
    ])
      expect(ids.read(text, NOW)).toBeNull();
  });

  it("cannot be given the rest of another user's id", () => {
    const [mine, theirs] = [
      ids.make('lending.borrow-book', 1, NOW),
      ids.make('lending.borrow-book', 2, NOW),
    ];
    const known = ids.read(theirs.slice(0, 34) + mine.slice(34), NOW);
    expect([1, 2, null].map((userId) => known?.isOwnedBy(userId))).toEqual([false, false, false]);
  });
});

describe('a digest', () => {
  it('is the same for the same parts and the same secret only', () => {
    const secret = randomBytes(32);
    const digest = new CommandIds(secret, services.commandTypes).digest(['a', 'b']);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(new CommandIds(secret, services.commandTypes).digest(['a', 'b'])).toBe(digest);
    expect(ids.digest(['a', 'b'])).not.toBe(digest);
    for (const parts of [['ab'], ['a', 'b', ''], ['a,b'], ['b', 'a'], ['a","b']])
      expect(new CommandIds(secret, services.commandTypes).digest(parts)).not.toBe(digest);
  });
});
