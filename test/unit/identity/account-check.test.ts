import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { contextOf } from '../../../api/http/request-context';
import { checkAccounts, checkedActor, providedActor } from '../../../api/identity/account-check';
import { AccountReader } from '../../../api/identity/accounts';
import type { Actor } from '../../../shared/command';

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

  it('does not raise the rights of an existing row', () => {
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

describe('the check of a request', () => {
  const read = jest.spyOn(AccountReader.prototype, 'read');
  afterAll(() => {
    read.mockRestore();
  });

  it('reads the account once, and again when a worker has given it another version', async () => {
    let version = '1';
    read.mockReset().mockResolvedValue(account());
    const authenticate = checkAccounts(
      (_request, response) => {
        contextOf(response).token = issued;
        return Promise.resolve(administrator);
      },
      {
        cache: { version: () => Promise.resolve(version) },
        check: checkedActor,
        changesFirstPassword: false,
      },
    );
    const ask = () => {
      const request = new IncomingMessage(new Socket()) as Request;
      const response = Object.assign(new ServerResponse(request), { locals: {} }) as Response;
      return authenticate(request, response);
    };
    for (let count = 0; count < 100; count += 1) await ask();
    expect(read).toHaveBeenCalledTimes(1);
    read.mockResolvedValue(account({ endedTokens: new Set(['token-1']) }));
    version = '2';
    for (let count = 0; count < 100; count += 1) await expect(ask()).rejects.toThrow(refused);
    expect(read).toHaveBeenCalledTimes(2);
  });
});
