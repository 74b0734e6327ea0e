import Joi from 'joi';
import type { Role } from '../../shared/command';
import { accountKey, identityFields } from '../../shared/identity/commands';
import { accountName, lookOf } from '../../shared/identity/names';
import type { Draft, Endpoint, Input, Result } from '../http/endpoint';
import { Problem } from '../http/responses/problem';
import { created, shown } from '../openapi/doc';
import type { Lane } from './hash-turns';
import type { SignIns } from './sign-ins';
import type { SignupLimit } from './signup-limit';
import { hashPassword, verifyPassword } from './password';
import { changePassword, logout } from './own-routes';
import { findAccount, findAccountOf } from './queries';
import { profileEndpoints, type CountsOf } from './profile-routes';
import { resetEndpoints, userAdminEndpoints } from './user-routes';
import { issueToken, type Account, type TokenIssuer } from './tokens';
import { account, signedIn } from './schemas';

/**
 * Accounts and sign-in. Where tokens come from an identity provider, only users and profiles are
 * served.
 */

interface Credentials {
  readonly username: string;
  readonly password: string;
}

interface NewAccount extends Credentials {
  readonly role?: Role;
  readonly isAdmin?: boolean;
  readonly mustChangePassword?: boolean;
}

export interface IdentityRoutesOptions {
  /** Null when tokens come from an identity provider. */
  readonly tokenIssuer: TokenIssuer | null;
  readonly signIns: SignIns;
  readonly countsOf: CountsOf;
  readonly signupLimit: SignupLimit;
  /** Whether a password that was made for an account must be changed before anything else. */
  readonly changesFirstPassword: boolean;
}

/** Of the tokens of an account that has never ended any. */
const FIRST_GENERATION = 0;

const newCredentials = {
  username: accountName.required(),
  password: identityFields.password.required(),
};

/** Returns the command that makes an account. Only the hash of the password is passed on. */
export async function accountDraft(
  { username, password, role = 'user', isAdmin = false, mustChangePassword = false }: NewAccount,
  lane: Lane = 'sign-in',
): Promise<Draft> {
  const passwordHash = await hashPassword(password, lane);
  const payload = {
    username,
    passwordHash,
    role,
    isAdmin,
    ...(mustChangePassword && { mustChangePassword }),
  };
  return { type: 'identity.create-account', key: accountKey(lookOf(username)), payload };
}

const locationOfUser = ({ userId }: Result): string => `/users/${String(userId)}`;

function signup(issuer: TokenIssuer, limit: SignupLimit): Endpoint {
  return {
    method: 'post',
    path: '/api/auth/signup',
    who: 'public',
    signsIn: true,
    kind: 'write',
    body: Joi.object(newCredentials),
    doc: {
      id: 'signUp',
      tag: 'Accounts',
      summary: 'Create an account and sign in',
      description:
        'Names that differ only in case, or look the same, are the same. How many accounts an address makes is limited.',
      answers: created(signedIn),
      problems: ['USERNAME_TAKEN', 'RATE_LIMITED'],
      example: { username: 'ada', password: 'correct horse battery' },
    },
    location: locationOfUser,
    command: async ({ body: { username, password }, address }: Input<Credentials>) => {
      await limit.count(address);
      return accountDraft({ username, password }, 'signup');
    },
    // The stored result is the account alone: a token is made for whoever gets the answer, and
    // never kept.
    beforeRepeat: async ({ userId }) => {
      const found = await findAccountOf(Number(userId));
      if (found?.generation !== FIRST_GENERATION)
        throw new Problem(
          'TOKEN_REVOKED',
          'The account exists, but its first tokens have ended since. Sign in.',
        );
    },
    decorate: (result) => ({
      ...result,
      ...issueToken(result as unknown as Account, FIRST_GENERATION, issuer),
    }),
  };
}

function login(
  issuer: TokenIssuer,
  { signIns, changesFirstPassword }: IdentityRoutesOptions,
): Endpoint {
  return {
    method: 'post',
    path: '/api/auth/login',
    who: 'public',
    signsIn: true,
    kind: 'read',
    // A password that no account can have is simply wrong; only the length is bounded.
    body: Joi.object({
      username: identityFields.username.required(),
      password: identityFields.givenPassword.required(),
    }),
    doc: {
      id: 'logIn',
      tag: 'Accounts',
      summary: 'Sign in',
      description: 'Failed attempts slow down later ones.',
      answers: shown(signedIn),
      problems: ['INVALID_CREDENTIALS', 'FORBIDDEN', 'RATE_LIMITED'],
      example: { username: 'ada', password: 'correct horse battery' },
    },
    handle: async (input: Input<Credentials>) => {
      const { username, password } = input.body;
      const found = await findAccount(username);
      const claim = { username, userId: found?.account.userId ?? null };
      const right = await signIns.check(claim, input, (lane) =>
        verifyPassword(password, found?.passwordHash ?? null, lane),
      );
      if (!found || !right)
        throw new Problem(
          'INVALID_CREDENTIALS',
          'There is no account with this username and password.',
        );
      if (found.isBlocked)
        throw new Problem('FORBIDDEN', 'This account is blocked. Ask an administrator.');
      signIns.succeeded(found.account, input);
      const mustChange = changesFirstPassword && found.mustChangePassword;
      return {
        status: 200,
        body: {
          ...found.account,
          ...issueToken(found.account, found.generation, issuer),
          ...(mustChange && { mustChangePassword: true }),
        },
      };
    },
  };
}

const makeUser: Endpoint = {
  method: 'post',
  path: '/api/users',
  who: 'admin',
  kind: 'write',
  body: Joi.object({
    ...newCredentials,
    role: identityFields.role,
    isAdmin: identityFields.isAdmin,
  }),
  doc: {
    id: 'createUser',
    tag: 'Accounts',
    summary: 'Create an account for somebody',
    answers: created(account),
    problems: ['USERNAME_TAKEN'],
    example: { username: 'grace', password: 'correct horse battery', role: 'lecturer' },
  },
  location: locationOfUser,
  command: ({ body }: Input<NewAccount>) => accountDraft(body),
};

export function identityEndpoints(options: IdentityRoutesOptions): Endpoint[] {
  const { tokenIssuer, signIns, signupLimit, countsOf } = options;
  const always = [...profileEndpoints(countsOf), ...userAdminEndpoints];
  if (!tokenIssuer) return always;
  const own = [
    signup(tokenIssuer, signupLimit),
    login(tokenIssuer, options),
    logout,
    makeUser,
    changePassword(signIns),
  ];
  return [...own, ...always, ...resetEndpoints(tokenIssuer.secret, hashPassword)];
}
