import { connect } from 'node:net';
import { once } from 'node:events';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import { target, type Target } from '../../support/service/target';
import { NO_ID, send } from './helpers';

let lendline: Target;
let user: string;
beforeAll(async () => {
  lendline = await target();
  user = lendline.token();
});

const BAD = 'not.a.token';
type Method = 'get' | 'post' | 'patch' | 'delete';
const call = (method: Method, path: string) => lendline.api()[method](path);
const as = (token: string) => ({ Authorization: `Bearer ${token}` });

const TITLE = `/api/book-infos/${NO_ID}`;
const OPEN: readonly [Method, string][] = [
  ['get', '/api/book-infos'],
  ['get', '/api/book-infos/popular'],
  ['get', TITLE],
  ['get', `${TITLE}/books`],
];
const SIGNED_IN: readonly [Method, string][] = [
  ['post', '/api/borrows'],
  ['post', '/api/returns'],
  ['get', `/api/borrows/${NO_ID}`],
  ['post', `/api/borrows/${NO_ID}/renewals`],
  ['get', '/api/borrow-histories'],
];
const ADMINISTRATORS: readonly [Method, string][] = [
  ['post', '/api/book-infos'],
  ['patch', TITLE],
  ['delete', TITLE],
  ['post', `${TITLE}/books`],
  ['patch', `${TITLE}/books/${NO_ID}`],
  ['delete', `${TITLE}/books/${NO_ID}`],
  ['post', '/api/users'],
];

describe('paths', () => {
  it.each([
    '/api',
    '/api/book',
    '/api/Book-Infos',
    '/API/book-infos',
    '/api/book-infos/',
    '/api//book-infos',
    `${TITLE}/books/`,
    '/book-infos',
    '/api/commands',
    '/livez/',
    '/assets/',
    '/docs/',
    '/.git/config',
    '/assets/..%2f..%2fapp.js',
  ])('answer 404 ROUTE_NOT_FOUND where nothing is: %s', async (path) => {
    expectProblem(await call('get', path), 404, 'ROUTE_NOT_FOUND');
  });

  it.each([
    ['PUT', '/api/book-infos', 'GET, HEAD, OPTIONS, POST'],
    ['DELETE', '/api/book-infos', 'GET, HEAD, OPTIONS, POST'],
    ['POST', '/api/book-infos/1', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['POST', '/api/book-infos/popular', 'GET, HEAD, OPTIONS'],
    ['GET', '/api/borrows', 'OPTIONS, POST'],
    ['HEAD', '/api/returns', 'OPTIONS, POST'],
    ['DELETE', '/api/commands/1', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/api/borrow-histories', 'GET, HEAD, OPTIONS'],
    ['POST', '/livez', 'GET, HEAD, OPTIONS'],
    ['TRACE', '/api/book-infos', 'GET, HEAD, OPTIONS, POST'],
  ])('answer 405 METHOD_NOT_ALLOWED with Allow: %s %s', async (method, path, allowed) => {
    const response = await send(lendline.url, { method, path });
    expect((response.headers.allow as string).split(', ').sort().join(', ')).toBe(allowed);
    if (method === 'HEAD') expect([response.status, response.text]).toEqual([405, '']);
    else expectProblem(response, 405, 'METHOD_NOT_ALLOWED');
  });

  it('answer OPTIONS with the methods they take, and 404 where nothing is', async () => {
    const response = await lendline.api().options('/api/book-infos').expect(204);
    expect(response.headers['allow']!.split(', ').sort()).toEqual([
      'GET',
      'HEAD',
      'OPTIONS',
      'POST',
    ]);
    expect(response.text).toBe('');
    expectProblem(await lendline.api().options('/api/nothing'), 404, 'ROUTE_NOT_FOUND');
  });

  it('answer HEAD as GET, without the body', async () => {
    const path = '/api/book-infos/popular?days=365';
    const [get, head] = [
      await send(lendline.url, { method: 'GET', path }),
      await send(lendline.url, { method: 'HEAD', path }),
    ];
    expect([get.status, head.status, head.text]).toEqual([200, 200, '']);
    for (const name of ['content-type', 'content-length', 'cache-control', 'x-total-count'])
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    expect(await send(lendline.url, { method: 'HEAD', path: TITLE })).toMatchObject({
      status: 404,
      text: '',
    });
  });

  it.each(['/api/book-infos/%', '/api/book-infos/%zz', '/api/commands/%ff', '/%c3%28'])(
    'answer 400 to broken percent-encoding: %s',
    async (path) => {
      expectFaults(await send(lendline.url, { method: 'GET', path }), { path: 'INVALID_FORMAT' });
    },
  );

  it.each([
    '/api/book-infos?q=%',
    '/courses?q=%zz',
    '/tags?q=%ff',
    '/posts?%c3%28=1',
    '/posts/tags?%ed%a0%80',
  ])('answer 400 to broken percent-encoding in the query: %s', async (path) => {
    const { status, body } = await send(lendline.url, { method: 'GET', path });
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: expect.arrayContaining([
        expect.objectContaining({ field: 'query', code: 'INVALID_FORMAT' }),
      ]),
    });
  });

  it('are decoded before an id is read', async () => {
    expectProblem(
      await send(lendline.url, { method: 'GET', path: TITLE.replace('9', '%39') }),
      404,
      'BOOK_INFO_NOT_FOUND',
    );
  });

  it.each([
    '0',
    '01',
    '-1',
    '+1',
    '1.0',
    '1e3',
    'abc',
    '0x1',
    '%20',
    '%D9%A1',
    '9007199254740992',
    '99999999999999999999',
  ])('answer 400 INVALID_ID to the id %s', async (id) => {
    expectFaults(
      await send(lendline.url, { method: 'GET', path: `/api/book-infos/${id}` }),
      { bookInfoId: 'INVALID_ID' },
      'INVALID_ID',
    );
  });

  it('take the largest id that JSON numbers carry', async () => {
    expectProblem(
      await call('get', `/api/book-infos/${Number.MAX_SAFE_INTEGER}`),
      404,
      'BOOK_INFO_NOT_FOUND',
    );
  });

  it('name every wrong id', async () => {
    expectFaults(
      await call('delete', '/api/book-infos/a/books/b').set(as(lendline.admin)),
      { bookInfoId: 'INVALID_ID', bookId: 'INVALID_ID' },
      'INVALID_ID',
    );
  });
});

describe('who may call', () => {
  it.each(OPEN)('everybody: %s %s', async (method, path) => {
    expect([200, 404]).toContain((await call(method, path)).status);
  });

  it.each([...SIGNED_IN, ...ADMINISTRATORS])(
    'answers 401 UNAUTHENTICATED without a token: %s %s',
    async (method, path) => {
      const response = await call(method, path);
      expectProblem(response, 401, 'UNAUTHENTICATED');
      expect(response.headers['www-authenticate']).toBe('Bearer');
    },
  );

  it.each(ADMINISTRATORS)(
    'answers 403 FORBIDDEN to a user who is not an administrator: %s %s',
    async (method, path) => {
      expectProblem(await call(method, path).set(as(user)), 403, 'FORBIDDEN');
      expectProblem(
        await call(method, path).set(as(lendline.token({ role: 'lecturer' }))),
        403,
        'FORBIDDEN',
      );
    },
  );

  it.each([
    ...OPEN,
    ...SIGNED_IN,
    ...ADMINISTRATORS,
    ['post', '/api/auth/login'],
    ['post', '/api/auth/signup'],
    ['get', '/api/commands/1'],
  ] as [Method, string][])(
    'answers 401 TOKEN_INVALID to a bad token everywhere: %s %s',
    async (method, path) => {
      const response = await call(method, path).set(as(BAD));
      expectProblem(response, 401, 'TOKEN_INVALID');
      expect(response.headers['www-authenticate']).toBe('Bearer');
    },
  );
});

describe('the order of the checks', () => {
  const text = (method: 'post' | 'patch', path: string, token: string) =>
    call(method, path).set(as(token)).type('text/plain').send('{"');

  it('is path and method before the token', async () => {
    expectProblem(await call('get', '/api/nothing').set(as(BAD)), 404, 'ROUTE_NOT_FOUND');
    expectProblem(await call('patch', '/api/book-infos').set(as(BAD)), 405, 'METHOD_NOT_ALLOWED');
  });

  it('is the token before the role', async () => {
    expectProblem(
      await text('post', '/api/book-infos', lendline.token({ expiresIn: -10 })),
      401,
      'TOKEN_EXPIRED',
    );
  });

  it('is the role before the body and its media type', async () => {
    expectProblem(await text('post', '/api/book-infos', user), 403, 'FORBIDDEN');
    expectProblem(await text('patch', '/api/book-infos/x', user), 403, 'FORBIDDEN');
  });

  it('is the media type before what the body holds', async () => {
    expectProblem(
      await text('patch', '/api/book-infos/x', lendline.admin),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
  });

  it('is the request as such before what a user may ask for in it', async () => {
    expectFaults(await call('get', '/api/borrow-histories?me=false&page=0').set(as(user)), {
      page: 'OUT_OF_RANGE',
    });
    expectProblem(
      await call('get', '/api/borrow-histories?me=false').set(as(user)),
      403,
      'FORBIDDEN',
    );
  });

  it('is the request as such before the object', async () => {
    expectFaults(await call('patch', TITLE).set(as(lendline.admin)).send({ title: '' }), {
      title: 'TOO_SHORT',
    });
    expectProblem(
      await call('patch', TITLE).set(as(lendline.admin)).send({ title: 'Emma' }),
      404,
      'BOOK_INFO_NOT_FOUND',
    );
  });

  it('is the object before its version', async () => {
    expectProblem(
      await call('patch', TITLE)
        .set(as(lendline.admin))
        .set('If-Match', '"1.0-0"')
        .send({ title: 'Emma' }),
      404,
      'BOOK_INFO_NOT_FOUND',
    );
    expectProblem(
      await call('patch', TITLE)
        .set(as(lendline.admin))
        .set('If-Match', '"else"')
        .send({ title: 'Emma' }),
      404,
      'BOOK_INFO_NOT_FOUND',
    );
  });
});

describe('the request id', () => {
  const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

  it('is echoed, in refusals as well', async () => {
    const id = 'trace.01_AZ-az';
    expect(
      (await call('get', '/api/book-infos').set('X-Request-Id', id)).headers['x-request-id'],
    ).toBe(id);
    for (const refused of [
      await call('get', '/api/nothing').set('X-Request-Id', id),
      await call('delete', TITLE).set(as(lendline.admin)).set('X-Request-Id', id),
    ]) {
      expect([refused.status, refused.headers['x-request-id'], refused.body.requestId]).toEqual([
        404,
        id,
        id,
      ]);
    }
  });

  it('is made when there is none, another for each request', async () => {
    const ids = [await call('get', '/livez'), await call('get', '/livez')].map(
      ({ headers }) => headers['x-request-id'],
    );
    expect(ids).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it.each(['with space', 'x'.repeat(129), 'a"b', '<script>', '{"a":1}'])(
    'is made when the given one is not fit for a log line: %s',
    async (id) => {
      expect((await call('get', '/livez').set('X-Request-Id', id)).headers['x-request-id']).toMatch(
        UUID,
      );
    },
  );
});

describe('what cannot be read as HTTP', () => {
  /**
   * Sends text over a connection of its own and returns all that comes until the server ends it.
   */
  async function exchange(text: string): Promise<string> {
    const { hostname, port } = new URL(lendline.url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    let answer = '';
    socket.on('data', (part: string) => (answer += part)).on('error', () => undefined);
    socket.write(text);
    await once(socket, 'close');
    return answer;
  }

  it.each([
    ['GET /livez HTTP/9\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    ['nonsense\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    ['GET /livez HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    [
      'POST /api/borrows HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'MALFORMED_REQUEST',
    ],
    [
      `GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
  ])('is answered with a problem: %.40j', async (request, status, code) => {
    const answer = await exchange(request);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    const [first = '', ...lines] = head.split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    );
    expect(first).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(headers).toMatchObject({
      connection: 'close',
      'content-length': String(Buffer.byteLength(body)),
    });
    expectProblem(
      {
        status,
        headers,
        type: String(headers['content-type']).split(';')[0] as string,
        body: JSON.parse(body),
      },
      status,
      code,
    );
  });
});
