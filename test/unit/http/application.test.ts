import Joi from 'joi';
import { sign } from 'jsonwebtoken';
import { pino } from 'pino';
import request from 'supertest';
import { createHttpApplication } from '../../../api/http/application';
import { sendAnswer } from '../../../api/http/responses/answer';
import { createAuthenticate } from '../../../api/http/security/authenticate';
import { BodyBytes } from '../../../api/http/requests/body-bytes';
import type { Endpoint } from '../../../api/http/endpoint';
import { tokenRules } from '../../../api/http/security/token-rules';
import { AcceptanceUnknown, NotAccepted } from '../../../shared/messaging/transport';
import { EMBEDDED, tracingOff } from '../../../shared/tracing';

const secret = 'a secret of at least 32 characters';
const claims = { sub: '7', username: 'ada' };
const token = (payload: object = claims, options: object = { expiresIn: 60 }): string =>
  `Bearer ${sign(payload, secret, options)}`;
const user = token();
const admin = token({ ...claims, isAdmin: true });

const body = Joi.object({ title: Joi.string().trim().max(20).required(), count: Joi.number() });
const doc: Endpoint['doc'] = {
  id: 'echo',
  tag: 'Service',
  summary: 'Answers with what it was asked',
  answers: {},
};
const echo = (path: string, more: Partial<Endpoint> = {}): Endpoint =>
  ({
    method: 'get',
    path,
    who: 'public',
    kind: 'read',
    doc,
    handle: (input: object) => ({ status: 200, body: { path, input } }),
    ...more,
  }) as Endpoint;

const failures: Record<string, Error> = {
  accepted: new NotAccepted('full', { retryAfterS: 7 }),
  unknown: new AcceptanceUnknown('no confirm'),
  bug: new Error('secret inside'),
};

const endpoints: Endpoint[] = [
  echo('/things/:thingId', { query: Joi.object({ q: Joi.string() }) }),
  echo('/things/popular'),
  echo('/things/:thingId', { method: 'patch', who: 'admin', body }),
  echo('/things', { method: 'post', who: 'user', body }),
  echo('/users/:userId'),
  echo('/users/:"userId"courses'),
  echo('/tags/:name'),
  echo('/large', { handle: () => ({ status: 200, body: { text: 'x'.repeat(5000) } }) }),
  echo('/etag', { handle: () => ({ status: 200, headers: { ETag: '"1"' }, body: { a: 1 } }) }),
  {
    method: 'post',
    path: '/fail/:name',
    who: 'public',
    kind: 'write',
    doc,
    command: ({ params }) => {
      throw failures[String(params['name'])] as Error;
    },
  },
  {
    method: 'post',
    path: '/write',
    who: 'user',
    kind: 'write',
    doc,
    command: () => ({ type: 'identity.ensure-user', key: 'user:1', payload: { userId: 1 } }),
  },
];

const ensureUser = jest.fn(() => Promise.resolve());
const authenticate = createAuthenticate(tokenRules({ secret }));
let ready = true;
/** Lines of the log, from errors up. */
const errors: string[] = [];

const app = createHttpApplication({
  bodies: new BodyBytes(33_554_432),
  endpoints,
  authenticate,
  authenticateAgain: authenticate,
  ensureUser,
  sendCommand: async (_input, toDraft, req, res) => {
    sendAnswer(req, res, { status: 201, json: JSON.stringify(await toDraft()) });
  },
  sendBulk: () => Promise.reject(new Error('there are no bulk endpoints here')),
  ruleContext: { isbnStrict: false },
  logger: pino({ level: 'error' }, { write: (line: string) => errors.push(line) }),
  tracing: tracingOff(EMBEDDED),
  ready: () => Promise.resolve(ready ? null : 'The disk is full.'),
  corsOrigins: ['https://reader.example'],
});
const server = app.listen(0);
afterAll(() => server.close());

const call = () => request(server);

describe('routes', () => {
  it('answers an unknown path with 404, with or without a token', async () => {
    const answer = await call().get('/nothing');
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.body).toMatchObject({
      type: '/problems/ROUTE_NOT_FOUND',
      status: 404,
      code: 'ROUTE_NOT_FOUND',
      requestId: answer.headers['x-request-id'],
    });
  });

  it('knows case and the slash at the end', async () => {
    expect((await call().get('/Things/1')).status).toBe(404);
    expect((await call().get('/things/1/')).status).toBe(404);
  });

  it('names the methods of a path before it asks for a token', async () => {
    const answer = await call().delete('/things/1');
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe('GET, PATCH, HEAD, OPTIONS');
    expect(answer.body).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
  });

  it('prefers static segments to mixed ones, and those to parameters', async () => {
    expect((await call().get('/things/popular')).body).toMatchObject({ path: '/things/popular' });
    expect((await call().get('/users/5courses')).body).toMatchObject({
      path: '/users/:"userId"courses',
      input: { params: { userId: 5 } },
    });
    expect((await call().get('/users/5')).body).toMatchObject({
      path: '/users/:userId',
      input: { params: { userId: 5 } },
    });
  });

  it('answers HEAD like GET, without the body', async () => {
    const answer = await call().head('/things/1');
    expect(answer.status).toBe(200);
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(2);
    expect(answer.text).toBeUndefined();
  });

  it('takes broken percent-encoding as a bad request and decodes the rest', async () => {
    const answer = await call().get('/tags/%zz');
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect((await call().get('/tags/c%2B%2B')).body).toMatchObject({
      input: { params: { name: 'c++' } },
    });
  });

  it('makes 304 of a GET that has the representation', async () => {
    expect((await call().get('/etag').set('If-None-Match', '"1"')).status).toBe(304);
    expect((await call().get('/etag').set('If-None-Match', '"2"')).status).toBe(200);
  });
});

describe('the order of checks', () => {
  const patch = (authorization?: string) => {
    const it = call().patch('/things/x').type('text/plain').send('{');
    return authorization ? it.set('Authorization', authorization) : it;
  };

  it('is token, role, media type, JSON, fields', async () => {
    expect((await patch()).body).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect((await patch(user)).body).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect((await patch(admin)).body).toMatchObject({
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    });
    expect((await patch(admin).type('json')).body).toMatchObject({
      status: 400,
      code: 'MALFORMED_JSON',
    });
  });

  it('reports faults of path, query and body together', async () => {
    const { body: problem } = await call()
      .patch('/things/x?y=1')
      .set('Authorization', admin)
      .send({ count: '1' });
    expect(problem).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect((problem as { errors: { field: string }[] }).errors.map(({ field }) => field)).toEqual([
      'thingId',
      'y',
      'title',
      'count',
    ]);
  });

  it('gives a bad path id its own code', async () => {
    expect((await call().get('/things/0')).body).toMatchObject({ status: 400, code: 'INVALID_ID' });
  });
});

describe('bodies', () => {
  const post = () => call().post('/things').set('Authorization', user);

  it('must be objects of at most 1 MiB', async () => {
    for (const text of ['[]', 'null', '"text"', '5']) {
      expect((await post().type('json').send(text)).body).toMatchObject({
        status: 400,
        code: 'VALIDATION_FAILED',
      });
    }
    expect((await post().send({ title: 'x'.repeat(1024 * 1024) })).body).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
    });
  });

  it('may be JSON in UTF-8, and nothing else', async () => {
    const text = '{"title":" Emma "}';
    expect((await post().type('application/merge-patch+json').send(text)).status).toBe(415);
    expect((await post().type('application/json; charset=UTF-8').send(text)).body).toMatchObject({
      input: { body: { title: 'Emma' } },
    });
    expect(
      (await post().set('Content-Type', 'application/json; charset=utf-16').send(text)).status,
    ).toBe(415);
    expect((await post().set('Content-Encoding', 'nonsense').type('json').send(text)).status).toBe(
      415,
    );
    expect(
      (await post().set('Content-Encoding', 'gzip').type('json').send(text)).body,
    ).toMatchObject({ code: 'MALFORMED_JSON' });
    expect(
      (
        await post()
          .type('json')
          .serialize((bytes) => bytes as string)
          .send(Buffer.from('{"title":"\xff"}', 'latin1'))
      ).body,
    ).toMatchObject({ code: 'MALFORMED_JSON' });
  });

  it('that are missing lack every required field', async () => {
    expect((await post()).body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ field: 'title', code: 'REQUIRED' }],
    });
  });
});

describe('tokens', () => {
  const get = (authorization: string) =>
    call().get('/things/1').set('Authorization', authorization);

  it.each([
    ['another scheme', 'Basic YTpi'],
    ['no token', 'Bearer'],
    ['no JWT', 'Bearer abc'],
    [
      'another secret',
      `Bearer ${sign(claims, 'another secret of at least 32 chars', { expiresIn: 60 })}`,
    ],
    ['no signature', `Bearer ${sign(claims, '', { algorithm: 'none', expiresIn: 60 })}`],
    ['another algorithm', token(claims, { expiresIn: 60, algorithm: 'HS512' })],
    ['no expiry', token(claims, {})],
    ['a number as sub', token({ ...claims, sub: 'x7' })],
    ['no username', token({ sub: '7' })],
    ['an unknown role', token({ ...claims, role: 'king' })],
    ['isAdmin that is no boolean', token({ ...claims, isAdmin: 'true' })],
  ])('with %s are rejected, also where none is needed', async (_name, authorization) => {
    const answer = await get(authorization);
    expect([answer.status, answer.body.code, answer.headers['www-authenticate']]).toEqual([
      401,
      'TOKEN_INVALID',
      'Bearer',
    ]);
  });

  it('that have expired say so', async () => {
    expect((await get(token(claims, { expiresIn: -1 }))).body).toMatchObject({
      status: 401,
      code: 'TOKEN_EXPIRED',
    });
  });

  it('name the actor, whose row is made once, before the first read', async () => {
    ensureUser.mockClear();
    const known = token({ sub: '99', username: 'eve', role: 'lecturer' });
    await get(known);
    const { body: answer } = await get(known);
    expect(answer).toMatchObject({
      input: { actor: { userId: 99, username: 'eve', role: 'lecturer', isAdmin: false } },
    });
    expect(ensureUser).toHaveBeenCalledTimes(1);
  });
});

describe('failures', () => {
  it('of the transport tell whether the command may be sent again', async () => {
    const full = await call().post('/fail/accepted');
    expect([full.status, full.body.code, full.headers['retry-after']]).toEqual([
      503,
      'UNAVAILABLE',
      '7',
    ]);
    expect((await call().post('/fail/unknown')).body).toMatchObject({
      status: 503,
      code: 'ACCEPTANCE_UNKNOWN',
    });
  });

  it('that are unexpected reveal nothing of the inside', async () => {
    const answer = await call().post('/fail/bug').set('X-Request-Id', 'mine.1');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret');
    expect(answer.body).toMatchObject({ code: 'INTERNAL', requestId: 'mine.1' });
  });

  it('that are unexpected are logged with stack and request id, and refusals are not', async () => {
    errors.length = 0;
    await call().post('/things').set('Authorization', user);
    await call().post('/fail/bug').set('X-Request-Id', 'mine.2');
    expect(errors.map((line) => JSON.parse(line) as object)).toMatchObject([
      {
        requestId: 'mine.2',
        err: { message: 'secret inside', stack: expect.stringContaining(__filename) as string },
      },
    ]);
  });
});

describe('around the endpoints', () => {
  it('a write goes to the sender of commands', async () => {
    expect((await call().post('/write').set('Authorization', user)).body).toMatchObject({
      type: 'identity.ensure-user',
    });
  });

  it('an invalid request id is replaced', async () => {
    expect((await call().get('/livez').set('X-Request-Id', 'a b')).headers['x-request-id']).toMatch(
      /^[\w-]{36}$/,
    );
  });

  it('health tells alive from ready', async () => {
    expect((await call().get('/livez')).status).toBe(200);
    expect((await call().get('/readyz')).status).toBe(200);
    ready = false;
    const unready = await call().get('/readyz');
    expect([unready.status, unready.body.detail]).toEqual([
      503,
      'This process cannot take work now. The disk is full.',
    ]);
    expect((await call().get('/metrics')).text).toContain('http_request_duration_seconds_bucket');
  });

  it('only large answers are compressed, and only for those who take it', async () => {
    const encodingOf = async (path: string, accepted: string) =>
      (await call().get(path).set('Accept-Encoding', accepted)).headers['content-encoding'];
    expect(await encodingOf('/large', 'gzip')).toBe('gzip');
    expect(await encodingOf('/large', 'identity')).toBeUndefined();
    expect(await encodingOf('/etag', 'gzip')).toBeUndefined();
    expect((await call().get('/large')).body).toEqual({ text: 'x'.repeat(5000) });
  });

  it('only configured origins are allowed', async () => {
    const from = (origin: string) =>
      call().options('/things').set('Origin', origin).set('Access-Control-Request-Method', 'POST');
    expect((await from('https://reader.example')).headers['access-control-allow-origin']).toBe(
      'https://reader.example',
    );
    expect(
      (await from('https://evil.example')).headers['access-control-allow-origin'],
    ).toBeUndefined();
  });
});
