import { gzipSync } from 'node:zlib';
import { INSTANT } from '../../support/clients/books';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import { target, type Target } from '../../support/service/target';
import { NO_ID, registerTitle, send, unique } from './helpers';

let lendline: Target;
beforeAll(async () => {
  lendline = await target();
});

const MIB = 1024 * 1024;
const register = () =>
  lendline.api().post('/api/book-infos').auth(lendline.admin, { type: 'bearer' });

/** Sends bytes as a registration. */
const sendBody = (
  body: string | Buffer,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
) =>
  send(lendline.url, {
    method: 'POST',
    path: '/api/book-infos',
    headers: { Authorization: `Bearer ${lendline.admin}`, ...headers },
    body,
  });

const valid = () => JSON.stringify({ title: unique('Title'), author: unique('Author') });

describe('the media type', () => {
  it.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'text/json',
    'application/xml',
    'text/xml',
    'application/json; charset=iso-8859-1',
    'json',
    'application/merge-patch+json',
    'application/json-patch+json',
    'application/vnd.api+json',
  ])('answers 415 UNSUPPORTED_MEDIA_TYPE to a body that is not JSON: %s', async (type) => {
    expectProblem(
      await sendBody(valid(), type === undefined ? {} : { 'Content-Type': type }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
  });

  it('answers 415 UNSUPPORTED_MEDIA_TYPE to an encoding that is not known', async () => {
    expectProblem(
      await sendBody(valid(), { 'Content-Type': 'application/json', 'Content-Encoding': 'rot13' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
  });

  it.each(['application/json', 'Application/JSON; Charset="UTF-8"'])(
    'takes JSON in UTF-8: %s',
    async (type) => {
      expect((await sendBody(valid(), { 'Content-Type': type })).status).toBe(201);
    },
  );

  it('takes a compressed body', async () => {
    expect(
      (
        await sendBody(gzipSync(valid()), {
          'Content-Type': 'application/json',
          'Content-Encoding': 'gzip',
        })
      ).status,
    ).toBe(201);
  });

  it('of answers is JSON in UTF-8', async () => {
    expect((await lendline.api().get('/api/book-infos?size=1')).headers['content-type']).toBe(
      'application/json; charset=utf-8',
    );
  });
});

describe('the size', () => {
  it('answers 400 VALIDATION_FAILED to a body that is nested deeper than 32 levels', async () => {
    const response = await sendBody(
      `{"title":"Emma","author":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    );
    expectFaults(response, { body: 'INVALID_TYPE' });
    expect((response.body as { detail: string }).detail).toBe(
      'the body must not be nested deeper than 32 levels.',
    );
  });

  /** A body of so many bytes that would be valid but for an unknown field. */
  const bodyOf = (bytes: number) => {
    const [head, tail] = ['{"title":"Emma","author":"Jane Austen","padding":"', '"}'];
    return `${head}${'x'.repeat(bytes - head.length - tail.length)}${tail}`;
  };

  it('answers 413 PAYLOAD_TOO_LARGE to a byte more than 1 MiB, and reads 1 MiB', async () => {
    expectProblem(await sendBody(bodyOf(MIB + 1)), 413, 'PAYLOAD_TOO_LARGE');
    expectFaults(await sendBody(bodyOf(MIB)), { padding: 'UNKNOWN_FIELD' });
  });

  it('answers 413 PAYLOAD_TOO_LARGE to a small body that unpacks to more', async () => {
    expectProblem(
      await sendBody(gzipSync(bodyOf(MIB + 1)), {
        'Content-Type': 'application/json',
        'Content-Encoding': 'gzip',
      }),
      413,
      'PAYLOAD_TOO_LARGE',
    );
  });
});

describe('JSON', () => {
  it.each([
    '{',
    '{"title":"Emma",}',
    "{'title':'Emma'}",
    'Emma',
    '{"title":"Emma"} x',
    '{"title":"line\nbreak"}',
    '\u0000',
    '{"title":NaN}',
  ])('answers 400 MALFORMED_JSON to %j', async (text) => {
    expectProblem(await sendBody(text), 400, 'MALFORMED_JSON');
  });

  it('answers 400 MALFORMED_JSON to bytes that are not UTF-8', async () => {
    expectProblem(
      await sendBody(Buffer.from('{"title":"M\xfcller","author":"x"}', 'latin1')),
      400,
      'MALFORMED_JSON',
    );
  });

  it('answers 400 MALFORMED_JSON to a packed body that cannot be unpacked', async () => {
    expectProblem(
      await sendBody('{}', { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }),
      400,
      'MALFORMED_JSON',
    );
  });

  it.each(['[]', 'null', '1', '"text"', 'true', `${'['.repeat(50_000)}${']'.repeat(50_000)}`])(
    'answers 400 VALIDATION_FAILED to a body that is not an object: %.20s',
    async (text) => {
      expectFaults(await sendBody(text), { body: 'INVALID_TYPE' });
    },
  );

  it('names each required field when there is no body', async () => {
    const required = { author: 'REQUIRED', title: 'REQUIRED' };
    expectFaults(await register(), required);
    expectFaults(await sendBody('', { 'Content-Type': 'application/json' }), required);
  });
});

describe('fields', () => {
  it('answers 400 VALIDATION_FAILED with all faults of query and body at once', async () => {
    const response = await lendline
      .api()
      .post('/api/book-infos?onDuplicate=maybe&force=true')
      .auth(lendline.admin, { type: 'bearer' })
      .send({
        author: '   ',
        isbn: 12,
        publicationDate: '2024-02-30',
        bookImg: 'javascript:alert(1)',
        copies: 1001,
        totalStock: 3,
        tags: [],
      });
    expectFaults(response, {
      title: 'REQUIRED',
      author: 'TOO_SHORT',
      isbn: 'INVALID_TYPE',
      publicationDate: 'INVALID_FORMAT',
      bookImg: 'INVALID_FORMAT',
      copies: 'OUT_OF_RANGE',
      totalStock: 'UNKNOWN_FIELD',
      tags: 'UNKNOWN_FIELD',
      onDuplicate: 'INVALID_VALUE',
      force: 'UNKNOWN_PARAMETER',
    });
  });

  it.each(['__proto__', 'constructor', 'toString', 'Title', 'title ', '$where'])(
    'answers 400 to the unknown field %j',
    async (field) => {
      const body = `{"title":"Emma","author":"Jane Austen",${JSON.stringify(field)}:{"isAdmin":true}}`;
      expectFaults(await sendBody(body), { [field]: 'UNKNOWN_FIELD' });
    },
  );

  it.each([
    ['"1"', 'INVALID_TYPE'],
    ['1.5', 'INVALID_TYPE'],
    ['true', 'INVALID_TYPE'],
    ['null', 'INVALID_TYPE'],
    ['0', 'OUT_OF_RANGE'],
    ['-1', 'OUT_OF_RANGE'],
    ['1001', 'OUT_OF_RANGE'],
    ['1e400', 'OUT_OF_RANGE'],
  ])('takes numbers as they are, and not %s', async (count, code) => {
    const request = {
      method: 'POST',
      path: `/api/book-infos/${NO_ID}/books`,
      headers: { Authorization: `Bearer ${lendline.admin}`, 'Content-Type': 'application/json' },
    };
    expectFaults(await send(lendline.url, { ...request, body: `{"count":${count}}` }), {
      count: code,
    });
  });

  it.each(['0', '-1', '1.5', '"1"', '9007199254740992', '[1]'])(
    'takes ids as integers from 1 to 2^53-1, and not %s',
    async (id) => {
      const request = {
        method: 'POST',
        path: '/api/borrows',
        headers: {
          Authorization: `Bearer ${lendline.token()}`,
          'Content-Type': 'application/json',
        },
      };
      expectFaults(await send(lendline.url, { ...request, body: `{"bookInfoId":${id}}` }), {
        bookInfoId: expect.stringMatching(/^(INVALID_TYPE|OUT_OF_RANGE)$/),
      });
    },
  );

  it.each(['totalStock', 'availableStock', 'version', 'bookInfoId', 'createdAt', 'modifiedAt'])(
    'answers 400 READ_ONLY_FIELD to a change of %s',
    async (field) => {
      const response = await lendline
        .api()
        .patch(`/api/book-infos/${NO_ID}`)
        .auth(lendline.admin, { type: 'bearer' })
        .send({ [field]: 1 });
      expectFaults(response, { [field]: 'READ_ONLY_FIELD' }, 'READ_ONLY_FIELD');
    },
  );

  it('answers 400 VALIDATION_FAILED when a read-only field is not the only fault', async () => {
    const response = await lendline
      .api()
      .patch(`/api/book-infos/${NO_ID}`)
      .auth(lendline.admin, { type: 'bearer' })
      .send({ version: 1, title: '' });
    expectFaults(response, { title: 'TOO_SHORT', version: 'READ_ONLY_FIELD' });
  });

  it.each(['12345', '97801431058', 'abcdefghij', '978-0-14-310582-Y'])(
    'answers 400 INVALID_ISBN to %s',
    async (isbn) => {
      const response = await register().send({ title: 'Emma', author: 'Jane Austen', isbn });
      expectFaults(response, { isbn: 'INVALID_ISBN' }, 'INVALID_ISBN');
    },
  );

  it('keeps texts of 255 characters, trimmed, and refuses one more', async () => {
    const title = unique('Title').padEnd(255, 'ü');
    expect((await registerTitle(lendline, { title: `  ${title}\t` })).title).toBe(title);
    const response = await register().send({ title: `${title}!`, author: 'x' });
    expectFaults(response, { title: 'TOO_LONG' });
  });

  it.each(['a\nb', 'a\u0000b', '\ud800', 'a\u0085b'])(
    'refuses control characters and broken Unicode: %j',
    async (title) => {
      expectFaults(await register().send({ title, author: 'x' }), { title: 'INVALID_FORMAT' });
    },
  );

  it.each([
    { title: "'; DROP TABLE book_info; --" },
    { title: '데미안 📚 naïve' },
    { title: '<script>alert(1)</script>' },
    { title: '${jndi:x} %s {{7*7}}' },
  ])('keeps texts as they were written: %j', async ({ title }) => {
    const { bookInfoId } = await registerTitle(lendline, { title });
    expect((await lendline.api().get(`/api/book-infos/${bookInfoId}`)).body.title).toBe(title);
  });

  it('sends ids as integers, instants in UTC with milliseconds, dates as days, and what is absent as null', async () => {
    const title = await registerTitle(lendline, { publicationDate: '1815-12-23' });
    expect(title).toEqual({
      bookInfoId: expect.any(Number),
      title: expect.any(String),
      author: expect.any(String),
      authorId: expect.any(Number),
      isbn: null,
      publicationDate: '1815-12-23',
      bookImg: null,
      totalStock: 0,
      availableStock: 0,
      version: 1,
      createdAt: expect.stringMatching(INSTANT),
      modifiedAt: expect.stringMatching(INSTANT),
    });
    expect(
      [title.bookInfoId, title.authorId].every((id) => Number.isSafeInteger(id) && Number(id) >= 1),
    ).toBe(true);
    expect((await lendline.api().get(`/api/book-infos/${title.bookInfoId}`)).body).toEqual(title);
  });
});

describe('a body where none belongs', () => {
  it('is refused by a write, and not ignored', async () => {
    const renewal = lendline
      .api()
      .post(`/api/borrows/${NO_ID}/renewals`)
      .auth(lendline.token(), { type: 'bearer' });
    expectFaults(await renewal.send({ days: 7 }), { days: 'UNKNOWN_FIELD' });
  });

  it('may be empty', async () => {
    const renewal = lendline
      .api()
      .post(`/api/borrows/${NO_ID}/renewals`)
      .auth(lendline.token(), { type: 'bearer' });
    expectProblem(await renewal.send({}), 404, 'BORROW_NOT_FOUND');
  });
});
