import { folded } from '../../shared/fields';
import type { IdentityCommand } from '../../shared/identity/commands';
import { lookOf } from '../../shared/identity/names';
import { accountSubject, NAMES_SUBJECT, User } from '../../shared/identity/tables';
import type { BelongingsRead } from '../batch/belongings';
import type { Read } from '../batch/state-plan';
import { insert, instant, optionalInstant, placeholders } from '../batch/statements';
import type { Row, Statement } from '../batch/transaction';
import { changeStatements } from './changes';
import type { IdentityState, StoredUser } from './state';

/** Which rows a batch of identity commands needs, and how its changes are written. */

const USERS = `SELECT id, username, role, is_admin, status, category, email, locale, password_hash IS NOT NULL AS has_password,
  token_generation, reset_id, reset_expires_at, created_at FROM \`user\` WHERE erased_at IS NULL AND id`;

function userOf(row: Row): StoredUser {
  return {
    id: Number(row.id),
    username: row.username as string,
    role: row.role as StoredUser['role'],
    isAdmin: Boolean(row.is_admin),
    status: row.status as StoredUser['status'],
    category: row.category as string,
    email: row.email as string | null,
    locale: row.locale as StoredUser['locale'],
    hasPassword: Boolean(row.has_password),
    generation: Number(row.token_generation),
    resetId: row.reset_id as string | null,
    resetExpiresAt: optionalInstant(row.reset_expires_at),
    createdAt: instant(row.created_at),
  };
}

function inList(
  select: string,
  values: readonly unknown[],
  apply: Read<IdentityState>['apply'],
): Read<IdentityState>[] {
  return values.length === 0
    ? []
    : [
        {
          statement: { sql: `${select} IN (${placeholders(values.length)})`, values: [...values] },
          apply,
        },
      ];
}

/** What `form` makes of the names of new accounts. */
function newNames(
  commands: readonly IdentityCommand[],
  form: (username: string) => string,
): string[] {
  return [
    ...new Set(
      commands.flatMap((command) =>
        command.type === 'identity.create-account' ? [form(command.payload.username)] : [],
      ),
    ),
  ];
}

export const newLoginNames = (commands: readonly IdentityCommand[]): string[] =>
  newNames(commands, folded);

/** Whose account a command changes; null for one that changes none that is there. */
function changedUser(command: IdentityCommand): number | null {
  switch (command.type) {
    case 'identity.create-account':
    case 'identity.ensure-user':
    case 'identity.probe':
      return null;
    default:
      return command.payload.userId;
  }
}

export interface IdentityReadOptions {
  /** Those that new accounts will get. */
  readonly ids: readonly number[];
  readonly belongings: readonly BelongingsRead[];
  /** Whether several workers may write at once. */
  readonly lockRows: boolean;
}

/**
 * What the services have of users who are to be erased. Their rows are locked first: whoever lends
 * to a user holds a shared lock on the row until COMMIT, so that either the borrow is seen here, or
 * the borrower is seen to be erased.
 */
function erasureReads(
  commands: readonly IdentityCommand[],
  { belongings, lockRows }: IdentityReadOptions,
): Read<IdentityState>[] {
  const userIds = commands.flatMap(({ type, payload }) =>
    type === 'identity.erase-user' ? [payload.userId] : [],
  );
  if (userIds.length === 0) return [];
  const lock = {
    sql: `SELECT id FROM \`user\` WHERE id IN (${placeholders(userIds.length)}) ORDER BY id FOR UPDATE`,
    values: userIds,
  };
  const parts = userIds.flatMap((userId) =>
    belongings.map((read): Read<IdentityState> => ({
      statement: read.statement(userId),
      apply: (rows, state) => {
        state.loadBelongings(userId, read.of(rows, userId));
      },
    })),
  );
  return [...(lockRows ? [{ statement: lock, apply: () => undefined }] : []), ...parts];
}

const RIGHTS: ReadonlySet<IdentityCommand['type']> = new Set([
  'identity.update-user',
  'identity.erase-user',
]);

export function identityReads(
  commands: readonly IdentityCommand[],
  options: IdentityReadOptions,
): Read<IdentityState>[] {
  const { ids } = options;
  const users = new Set(commands.map(changedUser).filter((id) => id !== null));
  const changesRights = commands.some(({ type }) => RIGHTS.has(type));
  const administrators: Read<IdentityState> = {
    statement: {
      sql: "SELECT id FROM `user` WHERE is_admin = 1 AND status = 'active'",
      values: [],
    },
    apply: (rows, state) => {
      for (const { id } of rows) state.loadAdministrator(Number(id));
    },
  };
  return [
    ...erasureReads(commands, options),
    ...inList(
      'SELECT login_name FROM `user` WHERE login_name',
      newLoginNames(commands),
      (rows, state) => {
        for (const row of rows) state.loadName(row.login_name as string);
      },
    ),
    ...inList(
      'SELECT login_look FROM `user` WHERE login_look',
      newNames(commands, lookOf),
      (rows, state) => {
        for (const row of rows) state.loadLook(row.login_look as string);
      },
    ),
    ...inList('SELECT id FROM `user` WHERE id', ids, (rows, state) => {
      for (const { id } of rows) state.loadId(Number(id));
    }),
    ...inList(
      USERS,
      [...users].sort((a, b) => a - b),
      (rows, state) => {
        for (const row of rows) state.loadUser(userOf(row));
      },
    ),
    ...(changesRights ? [administrators] : []),
  ];
}

export function identityWrites(state: IdentityState): Statement[] {
  return [...insert(User, state.accounts), ...changeStatements(state.changes)];
}

export function identitySubjects(state: IdentityState): string[] {
  const names = state.changes.some(({ kind }) => kind === 'erase') ? [NAMES_SUBJECT] : [];
  return [...new Set(state.changes.map(({ userId }) => accountSubject(userId))), ...names];
}

export function identitySubjectsOf(command: IdentityCommand): string[] {
  const userId = changedUser(command);
  if (userId === null) return [];
  return [
    accountSubject(userId),
    ...(command.type === 'identity.erase-user' ? [NAMES_SUBJECT] : []),
  ];
}
