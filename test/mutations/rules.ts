import type { Mutation } from './mutation';

const LENDING = 'test/unit/lending/decide.test.ts';
const HOLDS = 'test/unit/lending/decide-holds.test.ts';
const ACCOUNTS = 'test/unit/identity/account-check.test.ts';
const COURSES = 'test/unit/courses/decide.test.ts';

/** What is refused to readers, authors and lecturers, by the functions that decide. */
export const ruleMutations: readonly Mutation[] = [
  {
    guard: 'no row is made of the claims of a sign-in (actors)',
    file: 'workers/batch/actors.ts',
    find: '.filter(([, { isIssued }]) => !isIssued)',
    replace: '',
    tests: 'test/integration/batch/actors.test.ts',
  },
  {
    guard: 'a token that was signed out is refused',
    file: 'api/identity/account-check.ts',
    find: 'if (endedTokens.has(token.id))',
    replace: "if (endedTokens.has(''))",
    tests: ACCOUNTS,
  },
  {
    guard: 'a token from before a change of password is refused',
    file: 'api/identity/account-check.ts',
    find: 'if ((token.generation ?? 0) !== generation)',
    replace: 'if ((token.generation ?? 0) > generation)',
    tests: ACCOUNTS,
  },
  {
    guard: 'a token has no right that its account lacks',
    file: 'api/identity/account-check.ts',
    find: 'isAdmin: actor.isAdmin && isAdmin,',
    replace: 'isAdmin: actor.isAdmin,',
    tests: ACCOUNTS,
  },
  {
    guard: 'no copy is lent that is not there (stock)',
    file: 'workers/lending/decide-borrows.ts',
    find: 'if (title.availableStock === 0)',
    replace: 'if (title.availableStock < 0)',
    tests: LENDING,
  },
  {
    guard: 'the stock goes down with a borrow',
    file: 'workers/lending/decided.ts',
    find: "title.availableStock + Number(to === 'AVAILABLE') - Number(from === 'AVAILABLE')",
    replace: "title.availableStock + Number(to === 'AVAILABLE')",
    tests: LENDING,
  },
  {
    guard: 'a user borrows a title once',
    file: 'workers/lending/decide-borrows.ts',
    find: '  if (open) return',
    replace: '  if (open && open.id < 0) return',
    tests: LENDING,
  },
  {
    guard: 'a copy that is not available is not lent by its number',
    file: 'workers/lending/decide-borrows.ts',
    find: "if (named.status === 'AVAILABLE' || named.id",
    replace: "if (named.status !== 'ON_HOLD' || named.id",
    tests: LENDING,
  },
  {
    guard: 'a borrow is given back once',
    file: 'workers/lending/decide-borrows.ts',
    find: "  if (borrow.status !== 'BORROWED') return refuse('ALREADY_RETURNED', `Borrow ${borrow.id} is closed already.`, { borrowId",
    replace:
      "  if (borrow.id < 0) return refuse('ALREADY_RETURNED', `Borrow ${borrow.id} is closed already.`, { borrowId",
    tests: LENDING,
  },
  {
    guard: 'nobody renews while others wait',
    file: 'workers/lending/decide-borrows.ts',
    find: 'if (state.holds.line(borrow.bookInfoId).length > 0)',
    replace: 'if (state.holds.line(borrow.bookInfoId).length < 0)',
    tests: HOLDS,
  },
  {
    guard: 'an update is for the version that it was made for (If-Match)',
    file: 'workers/lending/decide-titles.ts',
    find: 'if (ifVersion !== null && ifVersion !== before.version)',
    replace: 'if (ifVersion !== null && ifVersion < 0)',
    tests: 'test/unit/lending/decide-titles.test.ts',
  },
  {
    guard: 'an ISBN belongs to one title',
    file: 'workers/lending/decide-titles.ts',
    find: 'if (holder && holder.id !== bookInfoId)',
    replace: 'if (holder && holder.id < 0)',
    tests: 'test/unit/lending/decide-titles.test.ts',
  },
  {
    guard: 'a course takes no more than its capacity',
    file: 'workers/courses/decide.ts',
    find: 'course.subscriberCount >= course.capacity',
    replace: 'course.subscriberCount > course.capacity',
    tests: COURSES,
  },
  {
    guard: 'a user subscribes to a course once',
    file: 'workers/courses/decide.ts',
    find: "if (before && before.status !== 'cancelled') {",
    replace: 'if (before && before.id < 0) {',
    tests: COURSES,
  },
  {
    guard: 'an Idempotency-Key stands for one request',
    file: 'api/commands/idempotency.ts',
    find: 'if (stored.fingerprint !== fingerprint)',
    replace: "if (stored.fingerprint === '')",
    tests: 'test/contract/common/idempotency.test.ts',
    built: true,
  },
  {
    guard: 'an Idempotency-Key ends, a day after it was last answered',
    file: 'api/commands/idempotency.ts',
    find: '{ scope, commandId, createdAt: { [Op.gte]: deadline(now) } }',
    replace: '{ scope, commandId }',
    tests: 'test/integration/idempotency-keys.test.ts',
  },
  {
    guard: 'an Idempotency-Key that is used again is kept as long as a new one',
    file: 'api/commands/idempotency.ts',
    find: 'if (now.getTime() - createdAt.getTime() <= KEY_RENEWED_AFTER_MS) return true;',
    replace: 'return true;',
    tests: 'test/integration/idempotency-keys.test.ts',
  },
  {
    guard: 'an outcome stays as long as the Idempotency-Key that leads to it',
    file: 'workers/duties/housekeeping.ts',
    find: 'before(OUTCOME_KEPT_MS + MARGIN_MS), NO_KEY)',
    replace: 'before(OUTCOME_KEPT_MS + MARGIN_MS))',
    tests: 'test/integration/idempotency-keys.test.ts',
  },
  {
    guard: 'a request with an Idempotency-Key is refused before the key is written down',
    file: 'api/commands/send.ts',
    find: "if ('draft' in attempted) sender.mustHaveRoom(attempted.draft);",
    replace: '',
    tests: 'test/integration/idempotency-keys.test.ts',
  },
  {
    guard:
      'a stream of events that is resumed tells what is pending, or was told a moment ago, once',
    file: 'api/events/streams.ts',
    find: 'if (!told.delete(eventId)) stream.send',
    replace: 'stream.send',
    tests: 'test/integration/events/resumed-streams.test.ts',
  },
  {
    guard: 'a stream of events that is resumed tells what was published and is not marked yet',
    file: 'api/events/log.ts',
    find: 'for (const row of pending) if',
    replace: 'for (const row of pending.slice(pending.length)) if',
    tests: 'test/integration/events/resumed-streams.test.ts',
  },
  {
    guard: 'what a batch has read is not removed as unused before it ends',
    file: 'workers/lending/store.ts',
    find: 'lockRows ? `${sql} LOCK IN SHARE MODE` : sql',
    replace: 'sql',
    tests: 'test/integration/unused-rows.test.ts',
  },
];
