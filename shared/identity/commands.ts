import Joi from 'joi';
import type { CommandOf, Role } from '../command';
import { atMost, id, line } from '../fields';
import { COMMON_PASSWORDS } from './common-passwords';

/** The commands that make user rows. Passwords never travel: the API sends their scrypt hash. */

export const ROLES = ['user', 'lecturer'] as const satisfies readonly Role[];
const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_LENGTH_MAX = 128;

export interface IdentityCommands {
  /** Signup, and an administrator making an account: the API decides which role and flag may be asked for. */
  'identity.create-account': { readonly username: string; readonly passwordHash: string; readonly role: Role; readonly isAdmin: boolean };
  /** Makes the row of a user who came with a valid token and has none; carried out for every command's actor. */
  'identity.ensure-user': { readonly userId: number };
  /** Ends every token of the account. Refused when its password was changed since `generation` was read. */
  'identity.change-password': { readonly userId: number; readonly passwordHash: string; readonly generation: number };
  /** Ends one token. `expiresAt`: when it would have ended, milliseconds since 1970. */
  'identity.end-token': { readonly userId: number; readonly tokenId: string; readonly expiresAt: number };
  /** Changes nothing, in whichever queue it stands: its outcome says that all that stood before it there was carried out. */
  'identity.probe': Readonly<Record<string, never>>;
}

export type IdentityCommand = CommandOf<IdentityCommands>;

/**
 * A password that somebody chooses, taken as it is: spaces and forms of characters count. A sign-in
 * is never held to these rules.
 */
const newPassword = Joi.string()
  .custom(atMost(PASSWORD_LENGTH_MAX))
  .custom((value: string, helpers) => {
    // Characters as people count them, which joi's own rule does not: four emoji are no eight characters.
    if (Array.from(value).length < PASSWORD_LENGTH_MIN) return helpers.error('string.min', { limit: PASSWORD_LENGTH_MIN });
    return COMMON_PASSWORDS.has(value.toLowerCase()) ? helpers.error('password.common') : value;
  })
  .meta({
    schema: {
      minLength: PASSWORD_LENGTH_MIN,
      maxLength: PASSWORD_LENGTH_MAX,
      description: `${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters, taken as they are, and none of the 3,000 commonest passwords.`,
    },
  })
  .messages({ 'password.common': '{{#label}} must not be one of the 3,000 commonest passwords' });

export const identityFields = {
  username: line(255),
  password: newPassword,
  role: Joi.string().valid(...ROLES),
  isAdmin: Joi.boolean().strict(),
};

const object = <T>(keys: Joi.SchemaMap): Joi.ObjectSchema<T> => Joi.object<T>(keys).prefs({ presence: 'required' });

export const identityPayloads: { [Type in keyof IdentityCommands]: Joi.ObjectSchema<IdentityCommands[Type]> } = {
  'identity.create-account': object({
    username: identityFields.username,
    passwordHash: Joi.string().max(255),
    role: identityFields.role,
    isAdmin: identityFields.isAdmin,
  }),
  'identity.ensure-user': object({ userId: id }),
  'identity.change-password': object({ userId: id, passwordHash: Joi.string().max(255), generation: Joi.number().integer().min(0) }),
  'identity.end-token': object({
    userId: id,
    tokenId: Joi.string().pattern(/^[\x20-\x7e]{1,64}$/, 'token id'),
    expiresAt: Joi.number().integer().min(0),
  }),
  'identity.probe': object({}),
};

export type IdentityRefusal = 'USERNAME_TAKEN' | 'INVALID_CREDENTIALS' | 'TOKEN_REVOKED';

/** Names that look the same have one key, so that one of several accounts wins. */
export const accountKey = (look: string): string => `account:${look}`;
export const userKey = (userId: number): string => `user:${userId}`;
/** Cache subject of what every request with a token is checked against. */
export const accountSubject = (userId: number): string => `account:${userId}`;
