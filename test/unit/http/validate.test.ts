import Joi from 'joi';
import { Problem, type Fault } from '../../../api/http/responses/problem';
import { checkParams } from '../../../api/http/requests/path-params';
import { checkPart, rejectFaults, withoutCoercion } from '../../../api/http/requests/validate';
import { id, line } from '../../../shared/fields';
import { isbn } from '../../../shared/lending/isbn';

const context = { isbnStrict: false };

const schema = Joi.object({
  title: line(20).required(),
  isbn: isbn,
  copies: Joi.number().integer().min(0).max(1000),
  fine: Joi.boolean(),
  authorId: id,
  totalStock: Joi.forbidden(),
  tags: Joi.array().items(line(5)).max(2),
});

function faultsOf(value: object, part: 'body' | 'query' = 'body', rules = context): Fault[] {
  const faults: Fault[] = [];
  checkPart(part, withoutCoercion(schema), value, rules, faults);
  return faults;
}

function codesOf(value: object, part: 'body' | 'query' = 'body'): Record<string, string> {
  return Object.fromEntries(faultsOf(value, part).map(({ field, code }) => [field, code]));
}

function problemOf(faults: readonly Fault[]): Problem {
  try {
    rejectFaults(faults);
  } catch (error) {
    if (error instanceof Problem) return error;
  }
  throw new Error('no problem');
}

describe('checkPart', () => {
  it('reports all faults at once, one per field', () => {
    expect(
      codesOf({
        isbn: '12',
        copies: -1,
        authorId: 2 ** 53,
        totalStock: 1,
        colour: 'red',
        tags: ['a', 'too long'],
      }),
    ).toEqual({
      title: 'REQUIRED',
      isbn: 'INVALID_ISBN',
      copies: 'OUT_OF_RANGE',
      authorId: 'OUT_OF_RANGE',
      totalStock: 'READ_ONLY_FIELD',
      colour: 'UNKNOWN_FIELD',
      'tags.1': 'TOO_LONG',
    });
  });

  it('looks at the length of a list before its items', () => {
    expect(
      codesOf({ title: 'Emma', tags: Array.from({ length: 100_000 }, () => 'too long') }),
    ).toEqual({ tags: 'TOO_LONG' });
  });

  it('lists a bounded number of unknown fields', () => {
    const many = Object.fromEntries(
      Array.from({ length: 110_000 }, (_, index) => [`field${index}`, index]),
    );
    const { detail, extras } = problemOf(faultsOf(many));
    expect(detail).toBe(
      'More than 50 fields or parameters are not valid. The first 50 are listed.',
    );
    expect((extras['errors'] as Fault[])[49]).toEqual({
      field: 'field49',
      code: 'UNKNOWN_FIELD',
      message: 'field49 is not known at this endpoint',
    });
    expect(extras['errors']).toHaveLength(50);
  });

  it('repeats little of what was sent', () => {
    const { detail, extras } = problemOf(
      faultsOf({ ['x'.repeat(1_000_000)]: 1, title: 'Emma', [`y${'x'.repeat(500_000)}`]: 1 }),
    );
    expect(JSON.stringify([detail, extras]).length).toBeLessThan(3000);
  });

  it('trims texts but never turns one type into another', () => {
    const faults: Fault[] = [];
    expect(
      checkPart('body', withoutCoercion(schema), { title: '  Emma ' }, context, faults),
    ).toEqual({ title: 'Emma' });
    expect(faults).toEqual([]);
    expect(codesOf({ title: 1, copies: '1', fine: 'true', authorId: '1' })).toEqual({
      title: 'INVALID_TYPE',
      copies: 'INVALID_TYPE',
      fine: 'INVALID_TYPE',
      authorId: 'INVALID_TYPE',
    });
  });

  it('tells empty, too long, control characters and fractions apart', () => {
    expect(codesOf({ title: '   ' })).toEqual({ title: 'TOO_SHORT' });
    expect(codesOf({ title: 'x'.repeat(21) })).toEqual({ title: 'TOO_LONG' });
    expect(codesOf({ title: 'a\u0000b', copies: 1.5 })).toEqual({
      title: 'INVALID_FORMAT',
      copies: 'INVALID_TYPE',
    });
    expect(codesOf({ title: 'a', isbn: '9'.repeat(60) })).toEqual({ isbn: 'INVALID_ISBN' });
  });

  it('rejects a field that would become a prototype', () => {
    expect(faultsOf(JSON.parse('{"__proto__":{"title":"x"}}') as object)).toMatchObject([
      { field: '__proto__', code: 'UNKNOWN_FIELD' },
    ]);
  });

  it('names unknown and repeated query parameters', () => {
    expect(codesOf({ title: ['a', 'b'], colour: 'red' }, 'query')).toEqual({
      title: 'REPEATED_PARAMETER',
      colour: 'UNKNOWN_PARAMETER',
    });
  });

  it('allows no parameter without a schema', () => {
    const faults: Fault[] = [];
    checkPart('query', undefined, { a: '1' }, context, faults);
    expect(faults).toEqual([
      { field: 'a', code: 'UNKNOWN_PARAMETER', message: 'a is not a parameter of this endpoint' },
    ]);
  });

  it('rejects a wrong check digit only when the rules say so', () => {
    const wrong = { title: 'a', isbn: '9780306406158' };
    expect(faultsOf(wrong)).toEqual([]);
    expect(faultsOf(wrong, 'body', { isbnStrict: true })).toMatchObject([
      { field: 'isbn', code: 'INVALID_ISBN' },
    ]);
  });
});

describe('checkParams', () => {
  it.each(['1', '42', '9007199254740991'])('takes %s as an id', (text) => {
    const faults: Fault[] = [];
    expect(checkParams({ bookId: text, name: 'c++' }, faults)).toEqual({
      bookId: Number(text),
      name: 'c++',
    });
    expect(faults).toEqual([]);
  });

  it.each([
    '0',
    '01',
    '-1',
    '1.0',
    '1e3',
    '+1',
    ' 1',
    '',
    'abc',
    '9007199254740992',
    '99999999999999999',
  ])('rejects %p', (text) => {
    const faults: Fault[] = [];
    checkParams({ bookId: text }, faults);
    expect(faults).toMatchObject([{ field: 'bookId', code: 'INVALID_ID' }]);
  });
});

describe('rejectFaults', () => {
  const fault = (field: string, code: string): Fault => ({
    field,
    code,
    message: `${field} is wrong`,
  });

  it('lets a request without faults pass', () => {
    expect(() => {
      rejectFaults([]);
    }).not.toThrow();
  });

  it('gives a special code only when all faults share it', () => {
    expect(problemOf([fault('a', 'READ_ONLY_FIELD'), fault('b', 'READ_ONLY_FIELD')]).code).toBe(
      'READ_ONLY_FIELD',
    );
    expect(problemOf([fault('bookId', 'INVALID_ID')]).code).toBe('INVALID_ID');
    expect(problemOf([fault('isbn', 'INVALID_ISBN'), fault('title', 'REQUIRED')]).code).toBe(
      'VALIDATION_FAILED',
    );
    expect(problemOf([fault('title', 'REQUIRED')]).code).toBe('VALIDATION_FAILED');
  });

  it('carries every fault', () => {
    const faults = [fault('a', 'REQUIRED'), fault('b', 'TOO_LONG')];
    expect(problemOf(faults).extras).toEqual({ errors: faults });
  });
});
