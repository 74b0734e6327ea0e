import Joi from 'joi';
import type { CommandOf, Role } from '../command';
import { PARTITIONS_MAX } from '../config';
import { atMost, id, instant, line } from '../fields';
import { webhookFields, type WebhookChanges } from '../webhooks/fields';
import { COMMON_PASSWORDS } from './common-passwords';

/**
 * The commands of accounts, notices, webhooks and workers. Passwords never travel: the API sends
 * their scrypt hash.
 */

export const ROLES = ['user', 'lecturer'] as const satisfies readonly Role[];
export type UserStatus = 'active' | 'blocked';
export const USER_STATUSES = ['active', 'blocked'] as const satisfies readonly UserStatus[];
export type Locale = 'en' | 'ko';
export const LOCALES = ['en', 'ko'] as const satisfies readonly Locale[];
const PASSWORD_LENGTH_MIN = 8;
const PASSWORD_LENGTH_MAX = 128;

export interface IdentityCommands {
  /**
   * A sign-up, or an account that an administrator makes. The API decides which role and flag are
   * allowed.
   */
  'identity.create-account': {
    readonly username: string;
    readonly passwordHash: string;
    readonly role: Role;
    readonly isAdmin: boolean;
    /** The password was made for the account. Absent: its owner chose it. */
    readonly mustChangePassword?: true;
  };
  /**
   * Makes the row of a user who has a valid token and no row. Every command does so for its actor.
   */
  'identity.ensure-user': { readonly userId: number };
  /**
   * Changes the password and ends every token of the account. Refused when the password was changed
   * since `generation` was read.
   */
  'identity.change-password': {
    readonly userId: number;
    readonly passwordHash: string;
    readonly generation: number;
  };
  /** Ends one token. `expiresAt`: its expiry, milliseconds since 1970. */
  'identity.end-token': {
    readonly userId: number;
    readonly tokenId: string;
    readonly expiresAt: number;
  };
  /** Changes what users decide about their own account. */
  'identity.update-profile': { readonly userId: number; readonly changes: ProfileChanges };
  /** Changes a user's rights. */
  'identity.update-user': { readonly userId: number; readonly changes: UserChanges };
  /** Erases a person. Refused while they have books on loan. */
  'identity.erase-user': { readonly userId: number };
  /** Lets a user set a new password for a day. */
  'identity.issue-password-reset': { readonly userId: number; readonly resetId: string };
  /** Marks a notice of the user as read, or all of them. */
  'identity.read-notices': { readonly userId: number; readonly noticeId: number | null };
  /** `sealedSecret`: what its deliveries are signed with (`shared/webhooks/secret.ts`). */
  'identity.create-webhook': {
    readonly url: string;
    readonly types: readonly string[];
    readonly sealedSecret: string;
  };
  /** With a `sealedSecret`, the former secret stays valid for a while. */
  'identity.update-webhook': {
    readonly webhookId: number;
    readonly changes: WebhookChanges;
    readonly sealedSecret?: string;
  };
  'identity.delete-webhook': { readonly webhookId: number };
  /** Sends the webhook an event that nobody else gets. */
  'identity.test-webhook': { readonly webhookId: number };
  /** Uses a password reset: sets the password, and ends every token of the account. */
  'identity.reset-password': {
    readonly userId: number;
    readonly resetId: string;
    readonly passwordHash: string;
  };
  /** Stores the number of partitions that the workers then change to. */
  'identity.resize-partitions': { readonly partitions: number };
  /** Lets a worker hand its partitions over and take none, until it is told to or restarted. */
  'identity.drain-worker': { readonly worker: string };
  'identity.resume-worker': { readonly worker: string };
  /**
   * Changes nothing, in any queue. Its outcome means that everything before it in the queue was
   * carried out.
   */
  'identity.probe': Readonly<Record<string, never>>;
}

export interface ProfileChanges {
  readonly email?: string | null;
  readonly locale?: Locale;
}

export interface UserChanges {
  readonly role?: Role;
  readonly isAdmin?: boolean;
  readonly status?: UserStatus;
  readonly category?: string;
}

export type IdentityCommand = CommandOf<IdentityCommands>;

declare module '../command' {
  interface CommandPayloads extends IdentityCommands {}
  interface ServiceRefusals {
    readonly identity: IdentityRefusal;
  }
}

/**
 * A new password, taken as it is: spaces and forms of characters count. A sign-in is never checked
 * against these rules.
 */
const newPassword = Joi.string()
  .custom(atMost(PASSWORD_LENGTH_MAX))
  .custom((value: string, helpers) => {
    // Characters as people count them, unlike joi's own rule: four emoji are not eight characters.
    if (Array.from(value).length < PASSWORD_LENGTH_MIN)
      return helpers.error('string.min', { limit: PASSWORD_LENGTH_MIN });
    return COMMON_PASSWORDS.has(value.toLowerCase()) ? helpers.error('password.common') : value;
  })
  .meta({
    schema: {
      title: 'NewPassword',
      minLength: PASSWORD_LENGTH_MIN,
      maxLength: PASSWORD_LENGTH_MAX,
      description: `${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters, taken as they are, and none of the 3,000 commonest passwords.`,
    },
  })
  .messages({ 'password.common': '{{#label}} must not be one of the 3,000 commonest passwords' });

export const identityFields = {
  username: line(255),
  password: newPassword,
  /** A password that is compared with an account's. Only its length is bounded. */
  givenPassword: Joi.string()
    .custom(atMost(PASSWORD_LENGTH_MAX))
    .meta({ schema: { maxLength: PASSWORD_LENGTH_MAX } }),
  role: Joi.string().valid(...ROLES),
  isAdmin: Joi.boolean().strict(),
  status: Joi.string().valid(...USER_STATUSES),
  // `*` means any in loan rules.
  category: line(64).invalid('*'),
  // RFC 5321: at most 64 characters before the @ and 255 after it.
  email: line(320)
    .email({ tlds: { allow: false } })
    .allow(null),
  locale: Joi.string().valid(...LOCALES),
};

const { role, isAdmin, status, category, email, locale } = identityFields;
/** The rules of changes. At least one is required. */
export const profileChanges = Joi.object<ProfileChanges>({ email, locale }).min(1);
export const userChanges = Joi.object<UserChanges>({ role, isAdmin, status, category }).min(1);

/** Of a worker, as it names itself. */
export const WORKER_LENGTH_MAX = 64;
export const partitionCount = Joi.number().integer().min(1).max(PARTITIONS_MAX);
const worker = Joi.string().max(WORKER_LENGTH_MAX);
const passwordHash = Joi.string().max(255);
const resetId = Joi.string().pattern(/^[\w-]{22}$/, 'reset id');
const { url, types, status: webhookStatus } = webhookFields(null);
const sealedSecret = Joi.string().pattern(/^[\w-]{40,255}$/, 'sealed secret');
const optional = { presence: 'optional' } as const;

const object = <T>(keys: Joi.SchemaMap): Joi.ObjectSchema<T> =>
  Joi.object<T>(keys).prefs({ presence: 'required' });

export const identityPayloads: {
  [Type in keyof IdentityCommands]: Joi.ObjectSchema<IdentityCommands[Type]>;
} = {
  'identity.create-account': object({
    username: identityFields.username,
    passwordHash,
    role: identityFields.role,
    isAdmin: identityFields.isAdmin,
    mustChangePassword: Joi.boolean().valid(true).optional(),
  }),
  'identity.ensure-user': object({ userId: id }),
  'identity.change-password': object({
    userId: id,
    passwordHash,
    generation: Joi.number().integer().min(0),
  }),
  'identity.end-token': object({
    userId: id,
    tokenId: Joi.string().pattern(/^[\x20-\x7e]{1,64}$/, 'token id'),
    expiresAt: instant,
  }),
  'identity.update-profile': object({ userId: id, changes: profileChanges.prefs(optional) }),
  'identity.update-user': object({ userId: id, changes: userChanges.prefs(optional) }),
  'identity.erase-user': object({ userId: id }),
  'identity.issue-password-reset': object({ userId: id, resetId }),
  'identity.read-notices': object({ userId: id, noticeId: id.allow(null) }),
  'identity.create-webhook': object({ url, types, sealedSecret }),
  'identity.update-webhook': object({
    webhookId: id,
    changes: Joi.object({ url, types, status: webhookStatus }).prefs(optional),
    sealedSecret: sealedSecret.optional(),
  }),
  'identity.delete-webhook': object({ webhookId: id }),
  'identity.test-webhook': object({ webhookId: id }),
  'identity.reset-password': object({ userId: id, resetId, passwordHash }),
  'identity.resize-partitions': object({ partitions: partitionCount }),
  'identity.drain-worker': object({ worker }),
  'identity.resume-worker': object({ worker }),
  'identity.probe': object({}),
};

export type IdentityRefusal =
  | 'USERNAME_TAKEN'
  | 'INVALID_CREDENTIALS'
  | 'TOKEN_REVOKED'
  | 'USER_NOT_FOUND'
  | 'LAST_ADMINISTRATOR'
  | 'USER_HAS_LOANS'
  | 'RESET_TOKEN_INVALID'
  | 'WEBHOOK_NOT_FOUND'
  | 'WEBHOOK_LIMIT_REACHED'
  | 'WEBHOOK_DISABLED'
  | 'WORKER_NOT_FOUND'
  | 'LAST_SERVING_WORKER'
  | 'RESIZE_UNDER_WAY'
  | 'PARTITIONS_FIXED';

/**
 * Returns the key of an account name. Names that look the same share it, so that one of several
 * accounts wins.
 */
export const accountKey = (look: string): string => `account:${look}`;
/** One queue decides about all users' rights, so that one administrator always remains. */
export const RIGHTS_KEY = 'rights';
/** One queue decides about all workers and partitions, so that one worker always serves. */
export const WORKERS_KEY = 'workers';
export const userKey = (userId: number): string => `user:${userId}`;
