import { LOCALES, ROLES, USER_STATUSES } from '../../shared/identity/commands';
import type { ProfileView, UserView } from '../../shared/identity/views';
import {
  count,
  flag,
  id,
  instant,
  nullable,
  object,
  oneOf,
  text,
  type Schema,
} from '../openapi/schema';
import type { Account, IssuedToken } from './tokens';
import type { ProfileCounts } from './user-queries';

/** What clients see of accounts, for the document. */

const role = oneOf(ROLES);
const ada = { userId: 7, username: 'ada', role: 'user', isAdmin: false } as const;

export const account = object<Account>(
  'Account',
  { userId: id, username: text, role, isAdmin: flag },
  ada,
);

const signedInAlways = object<Account & IssuedToken>(
  'SignedIn',
  {
    userId: id,
    username: text,
    role,
    isAdmin: flag,
    accessToken: text,
    tokenType: oneOf(['Bearer']),
    expiresIn: count,
  },
  { ...ada, accessToken: 'eyJhbGciOiJIUzI1NiIs…', tokenType: 'Bearer', expiresIn: 28_800 },
);

/** `mustChangePassword` is present only when it is true. */
export const signedIn: Schema<Account & IssuedToken> = {
  ...signedInAlways,
  properties: {
    ...signedInAlways.properties,
    mustChangePassword: {
      ...flag,
      description:
        'The password was made for the account. Until it is changed, other requests answer `PASSWORD_CHANGE_REQUIRED`.',
    },
  },
};

const status = oneOf(USER_STATUSES);
const createdAt = '2026-11-24T08:30:00.000Z';

export const user = object<UserView>(
  'UserAccount',
  { userId: id, username: text, role, isAdmin: flag, status, category: text, createdAt: instant },
  { ...ada, status: 'active', category: 'general', createdAt },
);

export const profileMembers = {
  userId: id,
  username: text,
  role,
  isAdmin: flag,
  status,
  email: nullable(text),
  locale: oneOf(LOCALES),
  createdAt: instant,
};
const adaHerself: ProfileView = {
  ...ada,
  status: 'active',
  email: 'ada@example.org',
  locale: 'en',
  createdAt,
};

export const profile = object<ProfileView>('Profile', profileMembers, adaHerself);

const counts = object<ProfileCounts>('ProfileCounts', {
  openBorrows: count,
  holds: count,
  courses: count,
  notices: count,
});

export const ownProfile = object<ProfileView & { readonly counts: ProfileCounts }>(
  'OwnProfile',
  { ...profileMembers, counts },
  { ...adaHerself, counts: { openBorrows: 2, holds: 1, courses: 0, notices: 3 } },
);

export const passwordReset = object<{ readonly resetToken: string; readonly expiresAt: string }>(
  'PasswordReset',
  { resetToken: text, expiresAt: instant },
  { resetToken: '7.Pz0bW1…', expiresAt: createdAt },
);

/** The stored part of a password reset. The token is made for the answer only, and never stored. */
export const issuedReset = object<{
  readonly userId: number;
  readonly resetId: string;
  readonly expiresAt: string;
}>(
  'IssuedPasswordReset',
  { userId: id, resetId: text, expiresAt: instant },
  { userId: 7, resetId: 'Pz0bW1c8QmS0Jt3kq2vXzA', expiresAt: createdAt },
);
