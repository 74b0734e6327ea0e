import type { Actor } from '../../../shared/command';
import { checkedActor, providedActor } from '../../../api/identity/account-check';

type Account = NonNullable<Parameters<typeof checkedActor>[2]>;

const administrator: Actor = { userId: 7, username: 'ada', role: 'lecturer', isAdmin: true };
const issued = { id: 'token-1', generation: 2, expiresAt: 4_000_000_000 };
const madeElsewhere = { ...issued, generation: null };
const account = (changes: Partial<Account> = {}): Account => ({
  role: 'lecturer',
  isAdmin: true,
  generation: 2,
  isBlocked: false,
  isErased: false,
  mustChangePassword: false,
  endedTokens: new Set(),
  ...changes,
});

const refused = expect.objectContaining({ code: 'TOKEN_REVOKED' });

describe('a token of a sign-in', () => {
  it('has the rights that it names and its account still has', () => {
    expect(checkedActor(administrator, issued, account())).toEqual({
      ...administrator,
      isIssued: true,
    });
    expect(checkedActor(administrator, issued, account({ isAdmin: false }))).toMatchObject({
      isAdmin: false,
      role: 'lecturer',
    });
    expect(checkedActor(administrator, issued, account({ role: 'user' }))).toMatchObject({
      isAdmin: true,
      role: 'user',
    });
  });

  it('has no right that it does not name', () => {
    const reader: Actor = { ...administrator, role: 'user', isAdmin: false };
    expect(checkedActor(reader, issued, account())).toMatchObject({ role: 'user', isAdmin: false });
  });

  it.each<[string, Account | null]>([
    ['without an account', null],
    ['of an account that has ended its tokens since', account({ generation: 3 })],
    ['of a blocked account', account({ isBlocked: true })],
    ['of a person who was erased', account({ isErased: true })],
    ['that was signed out', account({ endedTokens: new Set(['token-1']) })],
  ])('is refused %s', (_what, found) => {
    expect(() => checkedActor(administrator, issued, found)).toThrow(refused);
  });
});

describe('a token that was made elsewhere with the secret', () => {
  it('may be of somebody without a row', () => {
    expect(checkedActor(administrator, madeElsewhere, null)).toEqual(administrator);
  });

  it('raises no row that is there', () => {
    expect(
      checkedActor(administrator, madeElsewhere, account({ generation: 0, isAdmin: false })),
    ).toMatchObject({ isAdmin: false });
  });

  it('is refused once the account has ended its tokens', () => {
    expect(() => checkedActor(administrator, madeElsewhere, account({ generation: 1 }))).toThrow(
      refused,
    );
  });
});

describe('a token of an identity provider', () => {
  it('counts until the person is blocked or erased', () => {
    const other = account({ generation: 9, isAdmin: false });
    expect(providedActor(administrator, madeElsewhere, null)).toEqual(administrator);
    expect(providedActor(administrator, madeElsewhere, other)).toEqual(administrator);
    for (const ended of [account({ isBlocked: true }), account({ isErased: true })]) {
      expect(() => providedActor(administrator, madeElsewhere, ended)).toThrow(refused);
    }
  });
});
