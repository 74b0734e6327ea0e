import type { Mutation } from './mutation';

const ERASURE = 'test/integration/workers/batch/erasure.test.ts';
const DECIDE = 'test/unit/identity/decide-users.test.ts';
const COLUMNS = 'test/integration/workers/identity/personal-columns.test.ts';

/** What holds when a person is erased. */
export const peopleMutations: readonly Mutation[] = [
  {
    guard: 'nobody is erased who has books on loan',
    file: 'workers/identity/decide-users.ts',
    find: 'if (openBorrows.length > 0) {',
    replace: 'if (openBorrows.length < 0) {',
    tests: DECIDE,
  },
  {
    guard: 'the last administrator is not erased',
    file: 'workers/identity/decide-users.ts',
    find: '  if (isLastAdministrator(state, user)) return lastAdministrator(userId);\n',
    replace: '',
    tests: DECIDE,
  },
  {
    guard: 'an erasure is decided apart from the borrows of its batch',
    file: 'workers/identity/needs.ts',
    find: 'alone: true,',
    replace: '',
    tests: ERASURE,
    only: 'same batch',
  },
  {
    guard: 'an erasure waits for borrows under way at other workers',
    file: 'workers/identity/store.ts',
    find: '...(lockRows ? [{ statement: lock, apply: () => undefined }] : [])',
    replace:
      '...(lockRows && lock.values.length === 0 ? [{ statement: lock, apply: () => undefined }] : [])',
    tests: ERASURE,
    only: 'waits for the borrow',
  },
  {
    guard: 'a borrow keeps its reader from being erased until it is committed',
    file: 'workers/lending/reads.ts',
    find: "limited || holdsLimited ? 'FOR UPDATE' : 'LOCK IN SHARE MODE'",
    replace: "limited || holdsLimited ? 'FOR UPDATE' : ''",
    tests: ERASURE,
    only: 'waits for the borrow and is refused',
  },
  {
    guard: 'whoever was erased borrows nothing any more',
    file: 'workers/lending/decide.ts',
    find: 'if (userId !== null && state.isErased(userId)) return noReader();',
    replace: 'if (userId !== null && userId < 0) return noReader();',
    tests: ERASURE,
    only: 'same batch',
  },
  {
    guard: 'a seat waits for an erasure under way of who is next in line',
    file: 'workers/courses/wait-store.ts',
    find: "lockRows ? ' ORDER BY u.id LOCK IN SHARE MODE' : ''",
    replace: "lockRows ? '' : ''",
    tests: ERASURE,
    only: 'gives no seat',
  },
  {
    guard: 'names of erased people leave the audit',
    file: 'workers/identity/erase.ts',
    find: '    { sql: SQL.auditOfActor, values: [name, userId] },\n',
    replace: '',
    tests: COLUMNS,
  },
  {
    guard: 'names of erased people leave dead letters',
    file: 'workers/identity/erase.ts',
    find: '    { sql: SQL.deadLetters, values: [sent, sender(userId, name), sent] },\n',
    replace: '',
    tests: COLUMNS,
  },
  {
    guard: 'a token of an erased person is refused',
    file: 'api/identity/account-check.ts',
    find: '  if (account?.isErased) throw noAccount();',
    replace: '  if (account?.isErased && account.isBlocked) throw noAccount();',
    tests: 'test/unit/identity/account-check.test.ts',
  },
  {
    guard: 'a first password is good for nothing but its change',
    file: 'api/http/security/access.ts',
    find: 'if (!mustChangePassword || allowsFirstPassword(endpoint)) return;',
    replace: 'if (!mustChangePassword || !allowsFirstPassword(endpoint)) return;',
    tests: 'test/integration/workers/identity/first-password.test.ts',
    only: 'before it is changed',
    built: true,
  },
  {
    guard: 'open borrows always tell whose they are',
    file: 'workers/lending/old-borrows.ts',
    find: "{ status: 'LOST', dueAt: { [Op.lt]: instant } }",
    replace: '{ dueAt: { [Op.lt]: new Date(instant.getTime() + 365 * DAY_MS) } }',
    tests: 'test/integration/workers/lending/old-borrows.test.ts',
  },
];
