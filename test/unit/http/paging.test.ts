import Joi from 'joi';
import { encodeCursor } from '../../../api/http/requests/cursor';
import {
  limitsOf,
  listAnswer,
  listHeaders,
  pageRules,
  type Page,
} from '../../../api/http/requests/paging';
import { queryBoolean, queryId, querySort } from '../../../api/http/requests/query-rules';

const schema = Joi.object<Page>(pageRules());

describe('pageRules', () => {
  it('starts at page 1 with 20 items', () => {
    expect(schema.validate({}).value).toEqual({ page: 1, size: 20 });
  });

  it.each(['100', '101', '99999999999999999999999'])('clamps size %s to 100', (size) => {
    expect(schema.validate({ size })).toMatchObject({ value: { size: 100 } });
    expect(schema.validate({ size }).error).toBeUndefined();
  });

  it.each(['0', '-1', '1.5', '1.0', 'abc', '', ' 1', '+1', '1e2', '01', '0x1'])(
    'rejects %p as page and as size',
    (text) => {
      expect(
        schema.validate({ page: text, size: text }, { abortEarly: false }).error?.details,
      ).toHaveLength(2);
    },
  );

  it('takes any page that is an exact number, and bounds the offset', () => {
    const { value, error } = schema.validate({ page: '9007199254740991', size: '100' });
    expect(error).toBeUndefined();
    expect(limitsOf(value as Page)).toEqual({ limit: 100, offset: Number.MAX_SAFE_INTEGER });
    expect(schema.validate({ page: '9007199254740993' }).error?.details[0]?.type).toBe(
      'number.max',
    );
  });
});

describe('query rules', () => {
  it('take booleans, ids and sort fields literally', () => {
    const rules = Joi.object({
      yes: queryBoolean(),
      userId: queryId(),
      sort: querySort(['title', 'createdAt'], { field: 'createdAt', descending: true }),
    });
    expect(rules.validate({ yes: 'false', userId: '7', sort: '-title' }).value).toEqual({
      yes: false,
      userId: 7,
      sort: { field: 'title', descending: true },
    });
    expect(rules.validate({}).value).toEqual({ sort: { field: 'createdAt', descending: true } });
    expect(
      rules.validate({ yes: 'TRUE', userId: '0', sort: 'isbn' }, { abortEarly: false }).error
        ?.details,
    ).toHaveLength(3);
  });
});

describe('listHeaders', () => {
  const rels = (link: string | undefined): Record<string, string> =>
    Object.fromEntries(
      [...(link ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, target, rel]) => [rel, target]),
    );

  it('names first, prev, next and last, and keeps the other parameters as they came', () => {
    const headers = listHeaders(
      '/api/book-infos?title=a%20b&page=2&size=500&sort=-title',
      { page: 2, size: 100 },
      { totalItems: 350 },
    );
    const target = (page: number) =>
      `/api/book-infos?title=a%20b&sort=-title&page=${page}&size=100`;
    expect(headers['X-Total-Count']).toBe('350');
    expect(rels(headers['Link'])).toEqual({
      first: target(1),
      prev: target(1),
      next: target(3),
      last: target(4),
    });
  });

  it('has no prev on the first page, no next on the last, and leads back from beyond the end', () => {
    expect(
      Object.keys(rels(listHeaders('/x', { page: 1, size: 20 }, { totalItems: 0 })['Link'])),
    ).toEqual(['first', 'last']);
    expect(
      rels(listHeaders('/x', { page: 9, size: 20 }, { totalItems: 21 })['Link']),
    ).toMatchObject({ prev: '/x?page=2&size=20', last: '/x?page=2&size=20' });
  });

  it('leads on to where this page ended, whatever the total has become meanwhile', () => {
    const after = { sort: { field: 'title', descending: false }, value: 'x', id: 7 };
    const { next } = rels(
      listHeaders('/x?after=old&sort=title', { page: 3, size: 2 }, { totalItems: 6, after })[
        'Link'
      ],
    );
    expect(next).toBe(`/x?sort=title&page=4&size=2&after=${encodeCursor(after)}`);
  });

  it('has no last page for a list that was not counted to its end', () => {
    expect(
      Object.keys(
        rels(
          listHeaders('/x', { page: 600, size: 20 }, { totalItems: 10_000, atLeast: true })['Link'],
        ),
      ),
    ).toEqual(['first', 'prev', 'next']);
  });

  it('ends at a page past the end of a list that was not counted to its end', () => {
    expect(
      Object.keys(
        rels(
          listHeaders(
            '/x',
            { page: 600, size: 20 },
            { totalItems: 10_000, atLeast: true, ended: true },
          )['Link'],
        ),
      ),
    ).toEqual(['first', 'prev']);
  });

  it('lets nothing out of the angle brackets', () => {
    expect(
      listHeaders('/x?q=a>,<b"\u00e9', { page: 1, size: 20 }, { totalItems: 0 })['Link'],
    ).toContain('</x?q=a%3E,%3Cb%22%E9&page=1&size=20>');
  });
});

describe('listAnswer', () => {
  it('has the members of a list, and extras', () => {
    const answer = listAnswer(
      { url: '/x' },
      { page: 1, size: 2 },
      { items: [1, 2], totalItems: 3 },
      { bookInfoId: 5 },
    );
    expect(answer).toMatchObject({
      status: 200,
      body: { items: [1, 2], page: 1, size: 2, totalItems: 3, totalPages: 2, bookInfoId: 5 },
    });
  });
});
