import type { IdentityCommand } from '../../shared/identity/commands';
import { User } from '../../shared/identity/tables';
import { folded } from '../../shared/fields';
import { insert, placeholders } from '../batch/statements';
import type { Statement } from '../batch/transaction';
import type { WorkerService } from '../batch/decision';
import { decideIdentity, type Account } from './decide';

/**
 * Ids reserved for each new account. Users of other origin may have any of them, so that some are skipped; when all
 * are, the decision fails and is tried again with the next ids.
 */
const IDS_PER_ACCOUNT = 50;

function loginNames(commands: readonly IdentityCommand[]): string[] {
  return [...new Set(commands.flatMap((command) => (command.type === 'identity.create-account' ? [folded(command.payload.username)] : [])))];
}

/** Accounts, put together: reads, `decide`, writes. */
export function identityService(): WorkerService {
  return {
    idsNeeded: (envelopes) => ({ user: loginNames(envelopes as readonly IdentityCommand[]).length * IDS_PER_ACCOUNT }),
    plan(envelopes, upcoming) {
      const names = loginNames(envelopes as readonly IdentityCommand[]);
      const candidates = upcoming('user', names.length * IDS_PER_ACCOUNT);
      const reads: Statement[] =
        names.length === 0
          ? []
          : [
              { sql: `SELECT login_name FROM \`user\` WHERE login_name IN (${placeholders(names.length)})`, values: names },
              { sql: `SELECT id FROM \`user\` WHERE id IN (${placeholders(candidates.length)})`, values: candidates },
            ];
      return {
        reads,
        open(results) {
          const taken = new Set(results[0]?.rows.map((row) => row.login_name as string));
          const users = new Set(results[1]?.rows.map((row) => Number(row.id)));
          const accounts: Account[] = [];
          const state = { isTaken: (name: string) => taken.has(name), isUser: (id: number) => users.has(id) };
          return {
            decide(command, context) {
              const { decision, account } = decideIdentity(state, command as IdentityCommand, context);
              if (account) {
                accounts.push(account);
                taken.add(account.loginName);
              }
              return decision;
            },
            writes: () => insert(User, accounts),
            subjects: () => [],
            subjectsOf: () => [],
          };
        },
      };
    },
  };
}
