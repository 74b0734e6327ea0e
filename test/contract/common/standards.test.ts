import { problemCodes } from '../../../api/http/responses/problem-kinds';
import { openCampus, type Campus } from '../../support/clients/courses';
import { documentOf } from '../../support/check/document/served';
import { expectProblem } from '../../support/clients/problems';
import { target, type Target } from '../../support/service/target';
import { registerTitle, unique } from './helpers';

/** Standards of HTTP to the letter. */

let lendline: Target;
let campus: Campus;
beforeAll(async () => {
  lendline = await target();
  campus = await openCampus();
});

const admin = (method: 'post' | 'patch', path: string) =>
  lendline.api()[method](path).auth(lendline.admin, { type: 'bearer' });

describe('RFC 9457, problems', () => {
  it('have a type that leads to a page about them', async () => {
    const { body } = await lendline.api().get('/api/book-infos/9007199254740991').expect(404);
    expect(body.type).toBe('/problems/BOOK_INFO_NOT_FOUND');
    const page = await lendline
      .api()
      .get(body.type as string)
      .expect(200);
    expect(page.type).toBe('text/html');
    expect(page.text).toContain('BOOK_INFO_NOT_FOUND');
    expect(page.text).toContain(body.title);
  });

  it('have a page for every code with advice', async () => {
    for (const code of problemCodes) {
      const { text } = await lendline.api().get(`/problems/${code}`).expect(200);
      expect(text).toMatch(/<h2>What to do<\/h2>\n<p>[^<]{10}/);
    }
  });

  it.each(['NO_SUCH_CODE', 'toString', 'out_of_stock'])('have no page for %s', async (code) => {
    expectProblem(await lendline.api().get(`/problems/${code}`), 404, 'ROUTE_NOT_FOUND');
  });

  it('point at each faulty field of a body, and at none of a query', async () => {
    const sent = { title: '', copies: 5000, 'a/b~c.d': 1 };
    const { body } = await admin('post', '/api/book-infos').query({ x: 1 }).send(sent).expect(400);
    const errors = body.errors as { field: string; pointer?: string }[];
    expect(Object.fromEntries(errors.map(({ field, pointer }) => [field, pointer]))).toEqual({
      x: undefined,
      title: '#/title',
      author: '#/author',
      copies: '#/copies',
      'a/b~c.d': '#/a~1b~0c.d',
    });
    const list = await admin('post', '/api/book-infos').send([]).expect(400);
    expect(list.body.errors).toMatchObject([{ field: 'body', pointer: '#' }]);
  });

  it('point at an item of a list', async () => {
    const post = { title: 'A', content: 'B', userId: 1, tags: ['fine', 'a,b'] };
    const { body } = await admin('post', '/posts').send(post).expect(400);
    expect(body.errors).toMatchObject([{ field: 'tags.1', pointer: '#/tags/1' }]);
  });
});

describe('the draft of Idempotency-Key', () => {
  const register = (key: string, title: string) =>
    admin('post', '/api/book-infos')
      .set('Idempotency-Key', key)
      .send({ title, author: unique('Author') });

  it('takes a key in quotes for the same as the bare one', async () => {
    const { bookInfoId } = await registerTitle(lendline);
    const add = (key: string) =>
      admin('post', `/api/book-infos/${bookInfoId}/books`)
        .set('Idempotency-Key', key)
        .send({ count: 1 });
    const key = unique('key');
    const bare = await add(key).expect(201);
    expect((await add(`"${key}"`).expect(201)).body).toEqual(bare.body);
    const escaped = await add(`"${key}\\"\\\\"`).expect(201);
    expect((await add(`${key}"\\`).expect(201)).body).toEqual(escaped.body);
    expect(escaped.body.totalStock).toBe(2);
  });

  it('refuses a key that is empty within its quotes', async () => {
    expectProblem(await register('""', unique('Title')), 400, 'VALIDATION_FAILED', {
      errors: [expect.objectContaining({ field: 'Idempotency-Key' })],
    });
  });

  it('links a key that was reused to what is said about keys', async () => {
    const key = unique('key');
    await register(key, unique('Title')).expect(201);
    const answer = await register(key, unique('Title'));
    expectProblem(answer, 422, 'IDEMPOTENCY_KEY_REUSED');
    const [, path = ''] = /^<([^>]+)>; rel="describedby"/.exec(answer.headers.link ?? '') ?? [];
    expect((await lendline.api().get(path).expect(200)).text).toContain('24 hours');
  });
});

describe('RFC 7240, preferences', () => {
  it.each([
    ['x; wait=0', undefined],
    ['x="a, wait=0"', undefined],
    ['wait=20; x=1', 'wait=20'],
  ])('takes a parameter or a text for no preference: %s', async (prefer, applied) => {
    const answer = await admin('post', '/api/book-infos')
      .set('Prefer', prefer)
      .send({ title: unique('Title'), author: unique('Author') })
      .expect(201);
    expect(answer.headers['preference-applied']).toBe(applied);
  });
});

describe('RFC 7240, return=minimal', () => {
  const draft = () => ({ title: unique('Title'), author: unique('Author') });
  const create = (prefer: string) => admin('post', '/api/book-infos').set('Prefer', prefer);

  it('omits the body of a created thing, but keeps Location', async () => {
    const { headers, text } = await create('return=minimal').send(draft()).expect(201);
    expect([headers['preference-applied'], text]).toEqual(['return=minimal', '']);
    await lendline
      .api()
      .get(headers['location'] ?? '')
      .expect(200);
  });

  it('turns 200 into 204, with the new ETag', async () => {
    const { bookInfoId } = await registerTitle(lendline);
    const path = `/api/book-infos/${bookInfoId}`;
    const { headers } = await admin('patch', path)
      .set('Prefer', 'return=minimal, wait=20')
      .send({ title: unique('Title') })
      .expect(204);
    expect(headers['preference-applied']).toBe('wait=20, return=minimal');
    const read = await lendline.api().get(path).expect(200);
    expect(headers['etag']).toBe(read.headers['etag']);
  });

  it('keeps the body of promises, refusals and secrets', async () => {
    const promise = await create('return=minimal, respond-async').send(draft()).expect(202);
    expect(promise.headers['preference-applied']).toBe('respond-async');
    expect(promise.body).toMatchObject({ status: 'queued' });
    const { bookInfoId } = await registerTitle(lendline);
    await admin('delete' as 'post', `/api/book-infos/${bookInfoId}`).expect(204);
    const refused = await admin('patch', `/api/book-infos/${bookInfoId}`)
      .set('Prefer', 'return=minimal')
      .send({ title: unique('Title') });
    expectProblem(refused, 404, 'BOOK_INFO_NOT_FOUND');
    const account = { username: unique('reader'), password: 'a longer password' };
    const { body } = await lendline
      .api()
      .post('/api/auth/signup')
      .set('Prefer', 'return=minimal')
      .send(account)
      .expect(201);
    expect(body).toHaveProperty('accessToken');
  });

  it.each(['return=representation, return=minimal', 'x; return=minimal', 'return=least'])(
    'answers in full to %s',
    async (prefer) => {
      const { body } = await create(prefer).send(draft()).expect(201);
      expect(body).toHaveProperty('bookInfoId');
    },
  );
});

describe('RFC 5789 and 7396, PATCH', () => {
  const types = 'application/merge-patch+json, application/json';

  it('takes a merge patch: null clears, and what is absent stays', async () => {
    const { bookInfoId, title } = await registerTitle(lendline, { publicationDate: '1965-08-01' });
    const { body } = await admin('patch', `/api/book-infos/${bookInfoId}`)
      .set('Content-Type', 'application/merge-patch+json')
      .send(JSON.stringify({ publicationDate: null }))
      .expect(200);
    expect(body).toMatchObject({ title, publicationDate: null });
  });

  it('names the types that it takes to OPTIONS and with 415', async () => {
    const { bookInfoId } = await registerTitle(lendline);
    const path = `/api/book-infos/${bookInfoId}`;
    const options = await lendline.api().options(path).expect(204);
    expect(options.headers['accept-patch']).toBe(types);
    const refused = await admin('patch', path)
      .set('Content-Type', 'application/json-patch+json')
      .send('[]');
    expectProblem(refused, 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(refused.headers['accept-patch']).toBe(types);
    const other = await lendline.api().options('/api/borrows').expect(204);
    expect(other.headers).not.toHaveProperty('accept-patch');
  });
});

describe('Location', () => {
  it('of a video leads to the video, whose address is for those who may watch', async () => {
    const lecturer = campus.newLecturer();
    const { courseId } = await campus.registered({}, lecturer);
    const made = await campus.addVideo(courseId, {}, lecturer.token);
    const path = made.headers.location ?? '';
    const { token } = lecturer;
    expect((await campus.call('get', path, { token })).body).toEqual(made.body);
    expect((await campus.call('get', path)).body).toEqual({ ...made.body, url: null });
    expectProblem(
      await campus.call('get', `/courses/${courseId}/videos/9007199254740991`),
      404,
      'VIDEO_NOT_FOUND',
    );
  });

  it('of a subscription leads to the subscription, for its user', async () => {
    const { courseId } = await campus.registered();
    const reader = campus.newReader();
    const { token } = reader;
    const made = await campus.subscribe(reader, courseId);
    const path = made.headers.location ?? '';
    expect((await campus.call('get', path, { token })).body).toEqual(made.body);
    expectProblem(
      await campus.call('get', path, { token: campus.newReader().token }),
      403,
      'FORBIDDEN',
    );
    const none = `/users/${reader.userId}/courses/9007199254740991/subscriptions`;
    expectProblem(await campus.call('get', none, { token }), 404, 'SUBSCRIPTION_NOT_FOUND');
  });
});

describe('RFC 9745, deprecation', () => {
  it.each(['/users/ID/courses', '/users/IDcourses', '/user/IDcourses'])(
    'is not told of %s, which stays',
    async (path) => {
      const { userId, token } = campus.newReader();
      const answer = await campus.call('get', path.replace('ID', String(userId)), { token });
      expect(answer.status).toBe(200);
      expect(answer.headers).not.toHaveProperty('deprecation');
      expect(answer.headers).not.toHaveProperty('sunset');
    },
  );

  it('is documented for no operation', async () => {
    const { json } = await documentOf(lendline.url);
    expect(JSON.stringify(json)).not.toContain('"deprecated"');
  });
});

it.each(['borrow', 'returnBook'])(
  'the body of %s is one of several closed objects in the document',
  async (operationId) => {
    const document = await documentOf(lendline.url);
    const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Request`;
    const { oneOf } = document.json.components.schemas[name] as unknown as { oneOf: object[] };
    expect(oneOf.length).toBeGreaterThan(1);
    for (const one of oneOf) expect(one).toMatchObject({ additionalProperties: false });
    const schema = { $ref: `#/components/schemas/${name}` };
    const fits = (body: object) => document.faults(schema, body) === '';
    expect(fits({ bookInfoId: 1 })).toBe(true);
    expect(fits({ bookId: 1 })).toBe(true);
    expect(fits({ bookInfoId: 1, bookId: 1 })).toBe(true);
    expect(fits({})).toBe(false);
    expect(fits({ bookInfoId: 1, colour: 'red' })).toBe(false);
  },
);
