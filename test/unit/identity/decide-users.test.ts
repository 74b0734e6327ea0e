import { eraseUser, resetPassword, updateUser } from '../../../workers/identity/decide-users';
import { IdentityState, type StoredUser } from '../../../workers/identity/state';

const NOW = new Date('2026-11-24T12:00:00Z');
const context = { now: NOW, takeId: () => 1 };
const stored: StoredUser = {
  ...{
    id: 7,
    username: 'ada',
    role: 'lecturer',
    isAdmin: true,
    status: 'active',
    category: 'general',
  },
  ...{
    email: null,
    locale: 'en',
    createdAt: NOW,
    hasPassword: true,
    generation: 3,
    resetId: null,
    resetExpiresAt: null,
  },
};

function stateOf(...users: StoredUser[]): IdentityState {
  const state = new IdentityState();
  for (const user of users) {
    state.loadUser(user);
    if (user.isAdmin && user.status === 'active') state.loadAdministrator(user.id);
  }
  return state;
}

function codeOf({ decision }: ReturnType<typeof updateUser>): string {
  return decision.kind === 'refused' ? decision.refusal.code : decision.kind;
}

describe('rights that shrink', () => {
  const others = { ...stored, id: 8 };

  it.each<[string, object, boolean]>([
    ['administrator to none', { isAdmin: false }, true],
    ['lecturer to user', { role: 'user' }, true],
    ['active to blocked', { status: 'blocked' }, true],
    ['nothing of the three', { category: 'staff', role: 'lecturer' }, false],
  ])('end every token: %s', (_what, changes, endsTokens) => {
    const { changes: made } = updateUser(stateOf(stored, others), { userId: 7, changes });
    expect(made.change).toMatchObject({ endsTokens });
    expect(made.user?.generation).toBe(endsTokens ? 4 : 3);
  });
});

describe('the last administrator', () => {
  it('cannot lose the right or be blocked, also later in the same batch', () => {
    const state = stateOf(stored, { ...stored, id: 8 });
    const first = updateUser(state, { userId: 7, changes: { isAdmin: false } });
    expect(codeOf(first)).toBe('done');
    state.evolve(first.changes);
    for (const changes of [{ isAdmin: false }, { status: 'blocked' }] as const) {
      expect(codeOf(updateUser(state, { userId: 8, changes }))).toBe('LAST_ADMINISTRATOR');
    }
  });

  it('is one who can sign in: a blocked administrator does not count', () => {
    const state = stateOf(stored, { ...stored, id: 8, status: 'blocked' });
    expect(codeOf(updateUser(state, { userId: 7, changes: { status: 'blocked' } }))).toBe(
      'LAST_ADMINISTRATOR',
    );
  });

  it('may change in every other way', () => {
    expect(
      codeOf(
        updateUser(stateOf(stored), { userId: 7, changes: { role: 'user', category: 'staff' } }),
      ),
    ).toBe('done');
  });
});

describe('a password reset', () => {
  const waiting = { ...stored, resetId: 'a-reset', resetExpiresAt: new Date(NOW.getTime() + 1) };
  const use = (user: StoredUser, resetId = 'a-reset') =>
    codeOf(resetPassword(stateOf(user), { userId: 7, resetId, passwordHash: 'hash' }, context));

  it('counts until it expires, and only the last one that was issued', () => {
    expect(use(waiting)).toBe('done');
    expect(use({ ...waiting, resetExpiresAt: NOW })).toBe('RESET_TOKEN_INVALID');
    expect(use(waiting, 'another')).toBe('RESET_TOKEN_INVALID');
    expect(use(stored)).toBe('RESET_TOKEN_INVALID');
  });
});

describe('an erasure', () => {
  const other = { ...stored, id: 8 };
  const erase = (state: IdentityState, userId = 7) => eraseUser(state, { userId }, context);

  it('removes the user, even for later commands of the same batch', () => {
    const state = stateOf(stored, other);
    const { decision, changes } = erase(state);
    expect(decision).toMatchObject({ kind: 'done', result: null });
    expect(changes.change).toEqual({ kind: 'erase', userId: 7, username: 'ada', at: NOW });
    state.evolve(changes);
    expect(codeOf(updateUser(state, { userId: 7, changes: { role: 'user' } }))).toBe(
      'USER_NOT_FOUND',
    );
    expect(codeOf(erase(state))).toBe('USER_NOT_FOUND');
    expect(codeOf(erase(state, 8))).toBe('LAST_ADMINISTRATOR');
  });

  it('is refused for the last administrator', () => {
    expect(codeOf(erase(stateOf(stored)))).toBe('LAST_ADMINISTRATOR');
    expect(codeOf(erase(stateOf(stored, { ...other, status: 'blocked' })))).toBe(
      'LAST_ADMINISTRATOR',
    );
  });

  it('is refused while books are on loan, and ends the rest of what the user has', () => {
    const followUps = [
      { type: 'lending.cancel-hold', key: 'book-info:1', payload: { bookInfoId: 1, holdId: 3 } },
    ];
    const lent = stateOf(stored, other);
    lent.loadBelongings(7, { followUps });
    expect(erase(lent).decision).toMatchObject({ kind: 'done', followUps });
    lent.loadBelongings(7, { openBorrows: [50, 51] });
    expect(erase(lent).decision).toMatchObject({
      refusal: { code: 'USER_HAS_LOANS', ids: { borrowIds: [50, 51] } },
    });
  });
});
