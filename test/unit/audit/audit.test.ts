import { isAudited } from '../../../shared/audit/commands';
import { auditRow } from '../../../shared/audit/entry';
import type { Actor } from '../../../shared/command';

const reader: Actor = { userId: 7, username: 'ada', role: 'user', isAdmin: false };
const nobody: Actor = { userId: null, username: null, role: 'user', isAdmin: false };
const clock: Actor = { ...nobody, isAdmin: true };

describe('a command', () => {
  it.each([
    ['of a reader', 'lending.borrow-book', reader, {}, false],
    ['of nobody', 'posts.create-post', nobody, {}, false],
    ['of the clock', 'lending.expire-hold', clock, {}, false],
    ['of an administrator', 'lending.borrow-book', { ...reader, isAdmin: true }, {}, true],
    ['of a lecturer', 'posts.create-post', { ...reader, role: 'lecturer' as const }, {}, true],
    ['that ends a token', 'identity.end-token', reader, {}, true],
    ['that changes a password', 'identity.change-password', reader, {}, true],
    [
      'that signs somebody up',
      'identity.create-account',
      nobody,
      { role: 'user', isAdmin: false },
      false,
    ],
    [
      'that makes the first administrator',
      'identity.create-account',
      nobody,
      { isAdmin: true },
      true,
    ],
    [
      'that a read of an administrator sends',
      'identity.ensure-user',
      { ...reader, isAdmin: true },
      {},
      false,
    ],
  ])('%s is audited or not by its type and actor: %s', (_name, type, actor, payload, expected) => {
    expect(isAudited({ type, actor, payload })).toBe(expected);
  });
});

describe('the details of an entry', () => {
  const detailsOf = (payload: unknown) => {
    const who = {
      at: new Date(),
      actor: reader,
      action: 'a.b',
      target: null,
      address: null,
      requestId: null,
    };
    return JSON.parse(auditRow({ ...who, facts: { status: 'failed' }, payload }).details) as {
      payload: unknown;
    };
  };

  it('hide secrets wherever they stand', () => {
    const payload = {
      passwordHash: 'scrypt$1',
      inner: [{ resetToken: 'abc' }],
      text: '{"password":"x"}',
    };
    expect(JSON.stringify(detailsOf(payload))).not.toMatch(/scrypt|abc|:"x|\\"x/);
  });

  it('cut long texts off, and leave a payload out that is large all the same', () => {
    expect(detailsOf({ content: 'x'.repeat(300_000) })).toEqual({
      status: 'failed',
      payload: { content: 'x'.repeat(200) },
    });
    const large = Array.from({ length: 50 }, () => 'x'.repeat(200));
    expect(detailsOf({ large })).toEqual({ status: 'failed', payload: null });
  });
});
