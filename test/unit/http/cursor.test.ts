import { Buffer } from 'node:buffer';
import Joi from 'joi';
import { isCursorOf, NEWEST_FIRST, TITLE_ORDERS } from '../../../api/lending/title-orders';
import { encodeCursor, queryCursor, type Cursor } from '../../../api/http/requests/cursor';
import { queryOrder } from '../../../api/http/requests/query-rules';

const rules = Joi.object({
  sort: queryOrder(TITLE_ORDERS, () => NEWEST_FIRST, 'newest first'),
  after: queryCursor(isCursorOf),
});
const read = (query: object) =>
  rules.validate(query) as { error?: Joi.ValidationError; value: { after: Cursor } };
const raw = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url');

it.each<[string, Cursor]>([
  [
    '-createdAt',
    { sort: { field: 'createdAt', descending: true }, value: '2026-11-21 10:00:00.123', id: 7 },
  ],
  [
    'createdAt',
    {
      sort: { field: 'createdAt', descending: false },
      value: '2026-11-21 10:00:00.123 +00:00',
      id: 7,
    },
  ],
  ['title', { sort: { field: 'title', descending: false }, value: '토지 %_\'"', id: 2 ** 53 - 1 }],
  [
    '-publicationDate',
    { sort: { field: 'publicationDate', descending: true }, value: null, id: 7 },
  ],
  ['relevance', { sort: { field: 'relevance', descending: false }, value: '2 17', id: 7 }],
  ['popularity', { sort: { field: 'popularity', descending: false }, value: 0, id: 7 }],
])('a cursor of the sort %s is read as it was written', (sort, cursor) => {
  const { error, value } = read({ sort, after: encodeCursor(cursor) });
  expect(error).toBeUndefined();
  expect(value.after).toEqual(cursor);
});

it('without a sort it is of the standard one', () => {
  const cursor = {
    sort: { field: 'createdAt', descending: true },
    value: '2026-11-21 10:00:00.123',
    id: 7,
  };
  expect(read({ after: encodeCursor(cursor) }).value.after).toEqual(cursor);
});

it.each<[string, string, string]>([
  ['of another sort', 'title', raw(['createdAt', true, '2026-11-21 10:00:00.123', 7])],
  ['of the other direction', 'createdAt', raw(['createdAt', true, '2026-11-21 10:00:00.123', 7])],
  [
    'with a day that does not exist',
    '-createdAt',
    raw(['createdAt', true, '2026-02-31 10:00:00', 7]),
  ],
  ['with a text that is no instant', '-createdAt', raw(['createdAt', true, "' OR 1", 7])],
  ['with null where nothing is', '-createdAt', raw(['createdAt', true, null, 7])],
  ['with a text for a number', 'popularity', raw(['popularity', false, '5', 7])],
  ['with a number for a text', 'title', raw(['title', false, 5, 7])],
  ['with a fraction', 'popularity', raw(['popularity', false, 0.5, 7])],
  ['without an id', 'popularity', raw(['popularity', false, 5])],
  ['with an id that is none', 'popularity', raw(['popularity', false, 5, 0])],
  ['with too much', 'popularity', raw(['popularity', false, 5, 1, 1])],
  ['that is no list', 'popularity', raw({ sort: 'popularity' })],
  ['that is no JSON', 'popularity', 'abc'],
  ['that is a sign', 'popularity', '%'],
])('a cursor %s is refused', (_what, sort, after) => {
  expect(read({ sort, after }).error?.details).toMatchObject([
    { path: ['after'], type: 'cursor.unknown' },
  ]);
});
