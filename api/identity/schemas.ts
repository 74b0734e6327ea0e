import { ROLES } from '../../shared/identity/commands';
import { count, flag, id, object, oneOf, text } from '../openapi/schema';
import type { Account, IssuedToken } from './tokens';

/** What clients see of accounts, for the document. */

const role = oneOf(ROLES);
const ada = { userId: 7, username: 'ada', role: 'user', isAdmin: false } as const;

export const account = object<Account>('Account', { userId: id, username: text, role, isAdmin: flag }, ada);

export const signedIn = object<Account & IssuedToken>(
  'SignedIn',
  { userId: id, username: text, role, isAdmin: flag, accessToken: text, tokenType: oneOf(['Bearer']), expiresIn: count },
  { ...ada, accessToken: 'eyJhbGciOiJIUzI1NiIs…', tokenType: 'Bearer', expiresIn: 28_800 },
);
