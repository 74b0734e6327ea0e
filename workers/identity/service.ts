import { accountSubject, type IdentityCommand } from '../../shared/identity/commands';
import { User } from '../../shared/identity/tables';
import { folded } from '../../shared/fields';
import { lookOf } from '../../shared/identity/names';
import { insert, placeholders } from '../batch/statements';
import type { Statement } from '../batch/transaction';
import type { WorkerService } from '../batch/decision';
import { changeStatements, type AccountChange } from './changes';
import { decideIdentity, type Account } from './decide';

/**
 * Ids reserved for each new account. Users of other origin may have any of them, so that some are skipped; when all
 * are, the decision fails and is tried again with the next ids.
 */
const IDS_PER_ACCOUNT = 50;

/** What `form` makes of the names of new accounts. */
function newNames(commands: readonly IdentityCommand[], form: (username: string) => string): string[] {
  return [...new Set(commands.flatMap((command) => (command.type === 'identity.create-account' ? [form(command.payload.username)] : [])))];
}

/** Whose accounts the commands change. */
function changedUsers(commands: readonly IdentityCommand[]): number[] {
  return [...new Set(commands.flatMap((command) => (isChange(command) ? [command.payload.userId] : [])))].sort((a, b) => a - b);
}

type Change = Extract<IdentityCommand, { type: 'identity.change-password' | 'identity.end-token' }>;

function isChange(command: IdentityCommand): command is Change {
  return command.type === 'identity.change-password' || command.type === 'identity.end-token';
}

const inList = (select: string, values: readonly unknown[]): Statement[] =>
  values.length === 0 ? [] : [{ sql: `${select} IN (${placeholders(values.length)})`, values: [...values] }];

/** Accounts, put together: reads, `decide`, writes. */
export function identityService(): WorkerService {
  return {
    idsNeeded: (envelopes) => ({ user: newNames(envelopes as readonly IdentityCommand[], folded).length * IDS_PER_ACCOUNT }),
    plan(envelopes, upcoming) {
      const names = newNames(envelopes as readonly IdentityCommand[], folded);
      const byName = inList('SELECT login_name FROM `user` WHERE login_name', names);
      const byLook = inList('SELECT login_look FROM `user` WHERE login_look', newNames(envelopes as readonly IdentityCommand[], lookOf));
      const byId = inList('SELECT id FROM `user` WHERE id', upcoming('user', names.length * IDS_PER_ACCOUNT));
      const changed = inList('SELECT id, token_generation FROM `user` WHERE id', changedUsers(envelopes as readonly IdentityCommand[]));
      return {
        reads: [...byName, ...byLook, ...byId, ...changed],
        open(results) {
          const rowsOf = (reads: Statement[], after: number) => (reads.length > 0 ? (results[after]?.rows ?? []) : []);
          const taken = new Set(rowsOf(byName, 0).map((row) => row.login_name as string));
          const looks = new Set(rowsOf(byLook, byName.length).map((row) => row.login_look as string));
          const users = new Set(rowsOf(byId, byName.length + byLook.length).map((row) => Number(row.id)));
          const generations = new Map(rowsOf(changed, byName.length + byLook.length + byId.length).map((row) => [Number(row.id), Number(row.token_generation)]));
          const accounts: Account[] = [];
          const changes: AccountChange[] = [];
          const state = {
            isTaken: (name: string) => taken.has(name),
            isLookTaken: (look: string) => looks.has(look),
            isUser: (id: number) => users.has(id),
            generationOf: (id: number) => generations.get(id),
          };
          return {
            decide(command, context) {
              const { decision, account, change } = decideIdentity(state, command as IdentityCommand, context);
              if (account) {
                accounts.push(account);
                taken.add(account.loginName);
                if (account.loginLook !== null) looks.add(account.loginLook);
              }
              if (change) changes.push(change);
              if (change?.kind === 'password') generations.set(change.userId, change.generation);
              return decision;
            },
            writes: () => [...insert(User, accounts), ...changeStatements(changes)],
            subjects: () => [...new Set(changes.map(({ userId }) => accountSubject(userId)))],
            subjectsOf: (command) => (isChange(command as IdentityCommand) ? [accountSubject((command as Change).payload.userId)] : []),
          };
        },
      };
    },
  };
}
