import fc from 'fast-check';
import { encodeEnvelope, envelopeRules, isUsual } from '../../../shared/messaging/envelope';
import { services } from '../../../shared/services';
import {
  addCopies,
  borrow,
  deleteTitle,
  giveBack,
  register,
  renew,
  setStatus,
  update,
} from '../../support/models/lending/commands';

const malformed = (content: string): string => {
  const decoded = services.decode(content);
  return 'malformed' in decoded ? decoded.malformed : 'not malformed';
};

describe('a command in a queue', () => {
  it('comes out as it went in', () => {
    const anonymous = {
      ...register(),
      actor: { userId: null, username: null, role: 'user' as const, isAdmin: false },
    };
    const traced = {
      ...deleteTitle(1),
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    };
    const all = [
      borrow(1, 2),
      borrow(1, 2, 3),
      giveBack(1, 2, { borrowId: 4 }),
      renew(1, 2, 3),
      addCopies(1, 1000),
      setStatus(1, 2, 'LOST'),
      update(1, { title: '데미안 📚' }, 3),
    ];
    for (const given of [...all, anonymous, traced])
      expect(services.decode(encodeEnvelope(given))).toEqual({ envelope: given });
  });

  it.each(['', 'x', '{', '\u0000', '[', '{"commandId":'])(
    'is refused when it is not JSON: %j',
    (content) => {
      expect(malformed(content)).toBe('the message is not JSON');
    },
  );

  it.each(['null', '1', '"text"', '[]', '{}', 'true'])(
    'is refused when it is JSON but no command: %s',
    (content) => {
      expect(malformed(content)).toMatch(/^the message is not a command: /);
    },
  );

  const given = borrow(1, 2);
  it.each(Object.keys(given))('is refused without %s', (field) => {
    expect(malformed(JSON.stringify({ ...given, [field]: undefined }))).toContain(field);
  });

  it.each([
    ['commandId', 'not hexadecimal'],
    ['commandId', 'ab'],
    ['key', 7],
    ['key', 'k'.repeat(601)],
    ['actor', null],
    ['actor', { ...given.actor, role: 'administrator' }],
    ['actor', { ...given.actor, isAdmin: 'true' }],
    ['actor', { ...given.actor, userId: 1.5 }],
    ['actor', { ...given.actor, userId: '1' }],
    ['actor', { userId: 1 }],
    ['createdAt', '2024-01-01'],
    ['replyBy', 1.5],
    ['createdAt', -1],
    ['createdAt', 253_402_300_800_000],
    ['type', 'lending.책'],
    ['requestId', 'é'],
    ['replyTo', 'ü'],
    ['traceparent', 't'.repeat(65)],
    ['version', 0],
    ['version', '2'],
  ])('is refused with %s = %j', (field, value) => {
    expect(malformed(JSON.stringify({ ...given, [field]: value }))).toMatch(
      /^the message is not a command: /,
    );
  });

  it.each([
    ['in the envelope', { ...given, later: { more: [1] } }],
    ['in the actor', { ...given, actor: { ...given.actor, later: 1 } }],
    ['in the payload', { ...given, payload: { ...given.payload, later: null } }],
    ['in version 1', { ...given, version: 1 }],
  ])('is read when a later release has written a field more %s', (_, envelope) => {
    expect(services.decode(JSON.stringify(envelope))).toEqual({ envelope });
  });

  it.each([
    ['of a version', { version: 2 }, 'there is no version 2 of lending.borrow-book'],
    ['of a type', { type: 'lending.later' }, 'there is no command lending.later'],
    [
      'of a version and with a payload',
      { version: 2, payload: { later: 1 } },
      'there is no version 2 of lending.borrow-book',
    ],
  ])('is one of a later release %s that this one does not know', (_, later, reason) => {
    const header = { ...given, ...later };
    expect(services.decode(JSON.stringify(header))).toEqual({
      malformed: reason,
      header,
      isLater: true,
    });
  });

  it.each([
    'lending.burn-book',
    'nobody.borrow-book',
    'lending',
    '',
    'constructor.name',
    '__proto__.toString',
    'lending.constructor',
  ])('is refused when nobody knows its type: %j', (type) => {
    expect(malformed(JSON.stringify({ ...given, type }))).toMatch(
      type === '' ? /type/ : /^there is no command /,
    );
  });

  it.each([
    {},
    { bookInfoId: 0, bookId: null },
    { bookInfoId: '1', bookId: null },
    { bookInfoId: 2 ** 53, bookId: null },
  ])('is refused when its payload is not one of its type: %j', (payload) => {
    expect(malformed(JSON.stringify({ ...given, payload }))).toMatch(
      /^the payload is not one of lending.borrow-book: |^the message is not a command: /,
    );
  });

  it('shows its envelope when only its type or payload is unknown, so that its sender can be answered', () => {
    const [type, payload] = [
      { ...given, type: 'lending.burn-book' },
      { ...given, payload: { bookInfoId: 'x' } },
    ];
    for (const unfit of [type, payload])
      expect(services.decode(JSON.stringify(unfit))).toMatchObject({ header: unfit });
    for (const content of [
      '{',
      '{}',
      JSON.stringify({ ...given, key: 7, type: 'lending.burn-book' }),
    ])
      expect(services.decode(content)).toMatchObject({ header: null });
  });

  it('is refused with a reason that names the field and not what stood in it, for reasons are logged', () => {
    expect(malformed(JSON.stringify({ ...given, requestId: 'geheim é "quoted" and on' }))).toMatch(
      /"requestId" fails to match/,
    );
    const wrong = update(1, { publicationDate: 'geheim' });
    expect(malformed(JSON.stringify(wrong))).not.toContain('geheim');
  });

  it('is refused when it is nested too deeply', () => {
    const depth = 100_000;
    expect(malformed(`${'{"payload":'.repeat(depth)}1${'}'.repeat(depth)}`)).toMatch(
      /^the message (is not a command|cannot be read)/,
    );
  });

  it('never makes the reader throw, whatever stands in the queue', () => {
    const places = fc.constantFrom(...Object.keys(given));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (content) => {
        expect(typeof malformed(content)).toBe('string');
      }),
    );
    fc.assert(
      fc.property(places, fc.jsonValue(), (field, value) => {
        const decoded = services.decode(JSON.stringify({ ...given, [field]: value }));
        expect('malformed' in decoded || 'envelope' in decoded).toBe(true);
      }),
    );
  });

  it('is taken without the rules only where they accept it', () => {
    expect(isUsual(given)).toBe(true);
    expect(isUsual({ ...given, address: '192.0.2.7' })).toBe(true);
    const texts = ['', 'é', 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(129), '책'.repeat(601)];
    const numbers = [-1, 0, 1, 1.5, 2 ** 53, -(2 ** 53), 253_402_300_800_000, NaN];
    const values = [null, true, [], {}, ...texts, ...numbers];
    const places = [
      ...Object.keys({ ...given, version: 1, tracestate: '', address: '' }).map(
        (field) => (value: unknown) => ({ ...given, [field]: value }),
      ),
      ...Object.keys({ ...given.actor, isIssued: true }).map((field) => (value: unknown) => ({
        ...given,
        actor: { ...given.actor, [field]: value },
      })),
    ];
    const usual = places.flatMap((put) => values.map(put)).filter(isUsual);
    expect(usual.length).toBeGreaterThan(20);
    for (const envelope of usual) expect(envelopeRules.validate(envelope).error).toBeUndefined();
  });
});
