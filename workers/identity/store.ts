import type { IdentityCommand } from '../../shared/identity/commands';
import { User } from '../../shared/identity/tables';
import type { BelongingsRead } from '../batch/service/belongings';
import { gather } from '../batch/service/needs';
import type { Read } from '../batch/service/state-plan';
import { insert, instant, optionalInstant, placeholders } from '../batch/sql/statements';
import type { Row, Statement } from '../batch/sql/transaction';
import { changeStatements } from './changes';
import { identityNeeds, Wanted } from './needs';
import type { IdentityState, StoredUser } from './state';
import { webhookOf, webhookStatements } from './webhook-store';
import { workersReads, workersStatements, type WorkersReadOptions } from './workers-store';

/** Reads and writes the rows of identity commands. */

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

export interface IdentityReadOptions extends WorkersReadOptions {
  /** Ids that new accounts will get. */
  readonly ids: readonly number[];
  readonly belongings: readonly BelongingsRead[];
}

/**
 * Reads what the services keep about users who are to be erased. Their rows are locked first. A
 * borrow holds a shared lock on its reader's row until COMMIT. Either it is seen here, or its
 * reader is seen to be erased.
 */
function erasureReads(
  userIds: readonly number[],
  { belongings, lockRows }: IdentityReadOptions,
): Read<IdentityState>[] {
  if (userIds.length === 0) return [];
  const lock = {
    sql: `SELECT id FROM \`user\` WHERE id IN (${placeholders(userIds.length)}) ORDER BY id FOR UPDATE`,
    values: [...userIds],
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

/** Reads all webhooks, which are few and counted. */
const webhooksRead: Read<IdentityState> = {
  statement: { sql: 'SELECT * FROM webhook', values: [] },
  apply: (rows, state) => {
    for (const row of rows) state.loadWebhook(webhookOf(row));
  },
};

export function identityReads(
  commands: readonly IdentityCommand[],
  options: IdentityReadOptions,
): Read<IdentityState>[] {
  const wanted = gather(identityNeeds, commands, new Wanted());
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
    ...erasureReads([...wanted.erased], options),
    ...inList(
      'SELECT login_name FROM `user` WHERE login_name',
      [...wanted.loginNames],
      (rows, state) => {
        for (const row of rows) state.loadName(row.login_name as string);
      },
    ),
    ...inList(
      'SELECT login_look FROM `user` WHERE login_look',
      [...wanted.looks],
      (rows, state) => {
        for (const row of rows) state.loadLook(row.login_look as string);
      },
    ),
    ...inList('SELECT id FROM `user` WHERE id', options.ids, (rows, state) => {
      for (const { id } of rows) state.loadId(Number(id));
    }),
    ...inList(
      USERS,
      [...wanted.users].sort((a, b) => a - b),
      (rows, state) => {
        for (const row of rows) state.loadUser(userOf(row));
      },
    ),
    ...(wanted.administrators ? [administrators] : []),
    ...(wanted.webhooks ? [webhooksRead] : []),
    ...(wanted.workers ? workersReads(options) : []),
  ];
}

export function identityWrites(state: IdentityState): Statement[] {
  return [
    ...insert(User, state.accounts),
    ...changeStatements(state.changes),
    ...webhookStatements(state.webhookChanges),
    ...workersStatements(state.workers.changes),
  ];
}
