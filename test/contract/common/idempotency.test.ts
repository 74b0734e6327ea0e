import { expectFaults, expectProblem } from '../../support/clients/problems';
import { target, type Target } from '../../support/service/target';
import { registerTitle, send, unique } from './helpers';

let lendline: Target;
let bookInfoId: number;
let key: string;
beforeAll(async () => {
  lendline = await target();
});
beforeEach(async () => {
  ({ bookInfoId } = await registerTitle(lendline));
  key = unique('key');
});

interface AddOptions {
  readonly key?: string;
  readonly count?: number;
  readonly token?: string;
  readonly prefer?: string;
}

/** Adds copies under the test's key. */
const add = ({
  key: given = key,
  count = 1,
  token = lendline.admin,
  prefer = 'wait=30',
}: AddOptions = {}) =>
  lendline
    .api()
    .post(`/api/book-infos/${bookInfoId}/books`)
    .auth(token, { type: 'bearer' })
    .set({ 'Idempotency-Key': given, Prefer: prefer })
    .send({ count });
const stock = async () =>
  (await lendline.api().get(`/api/book-infos/${bookInfoId}`)).body.totalStock as number;

describe('an idempotency key', () => {
  it('has one effect and one answer when a request is repeated', async () => {
    const first = await add({ count: 2 });
    expect(first.status).toBe(201);
    for (let retry = 0; retry < 3; retry += 1) {
      const { status, text, headers } = await add({ count: 2 });
      expect([status, text, headers['location']]).toEqual([
        201,
        first.text,
        first.headers['location'],
      ]);
    }
    expect(await stock()).toBe(2);
  });

  it('stands for one command', async () => {
    const ids = [];
    for (let round = 0; round < 4; round += 1) {
      const { status, body } = await add({ prefer: 'respond-async' });
      expect(status).toBe(202);
      ids.push(body.commandId);
      await lendline
        .api()
        .get(`/api/commands/${body.commandId}?wait=30`)
        .auth(lendline.admin, { type: 'bearer' })
        .expect(200);
    }
    expect(new Set(ids).size).toBe(1);
    expect(await stock()).toBe(1);
  });

  it('has one effect and one answer for simultaneous requests, even at different APIs', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => add()));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect([answers[0]!.status, await stock()]).toEqual([201, 1]);
  });

  it('accepts one of several different simultaneous requests', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((count) => add({ count })));
    const won = answers.filter(({ status }) => status === 201);
    expect(won.length).toBe(1);
    for (const answer of answers)
      if (answer !== won[0]) expectProblem(answer, 422, 'IDEMPOTENCY_KEY_REUSED');
    expect(await stock()).toBe(won[0]!.body.addedCount);
  });

  it('answers 422 IDEMPOTENCY_KEY_REUSED to another body or query, and then changes nothing', async () => {
    await add({ count: 1 }).expect(201);
    expectProblem(await add({ count: 2 }), 422, 'IDEMPOTENCY_KEY_REUSED');
    expect(await stock()).toBe(1);
    const register = (query: string) =>
      lendline
        .api()
        .post(`/api/book-infos${query}`)
        .auth(lendline.admin, { type: 'bearer' })
        .set('Idempotency-Key', key);
    const body = { title: unique('Title'), author: 'x' };
    await register('').send(body).expect(201);
    expectProblem(await register('?onDuplicate=reject').send(body), 422, 'IDEMPOTENCY_KEY_REUSED');
  });

  it('ignores spaces and the order of members, but not an explicit default', async () => {
    const path = '/api/book-infos';
    const [title, author] = [unique('Title'), unique('Author')];
    const request = (body: string) => ({
      method: 'POST',
      path,
      body,
      headers: {
        Authorization: `Bearer ${lendline.admin}`,
        'Idempotency-Key': key,
        'Content-Type': 'application/json',
      },
    });
    const first = await send(lendline.url, request(JSON.stringify({ title, author })));
    const second = await send(
      lendline.url,
      request(` { "author" : "${author}",\n "title": "${title}" }`),
    );
    expect([second.status, second.text]).toEqual([201, first.text]);
    expectProblem(
      await send(lendline.url, request(JSON.stringify({ title, author, copies: 0 }))),
      422,
      'IDEMPOTENCY_KEY_REUSED',
    );
  });

  it('belongs to one user', async () => {
    const other = lendline.token({ isAdmin: true });
    await add({ count: 1 }).expect(201);
    await add({ count: 2, token: other }).expect(201);
    expect(await stock()).toBe(3);
  });

  it('without a token belongs to the request, so other clients do not collide', async () => {
    const post = (content: string) =>
      lendline
        .api()
        .post('/posts')
        .set('Idempotency-Key', key)
        .send({ title: 'Title', content, tags: [], userId: 1 });
    const first = await post('mine');
    expect([first.status, (await post('mine')).text]).toEqual([201, first.text]);
    const other = await post("somebody else's");
    expect([other.status, other.body.content]).toEqual([201, "somebody else's"]);
    expect(other.body.postId).not.toBe(first.body.postId);
  });

  it('belongs to one path and one method', async () => {
    await add().expect(201);
    const admin = { Authorization: `Bearer ${lendline.admin}`, 'Idempotency-Key': key };
    await lendline
      .api()
      .patch(`/api/book-infos/${bookInfoId}`)
      .set(admin)
      .send({ title: 'Emma' })
      .expect(200);
    await lendline.api().delete(`/api/book-infos/${bookInfoId}`).set(admin).expect(204);
  });

  it('repeats a refusal byte for byte, even when the request would succeed now', async () => {
    const borrow = () =>
      lendline
        .api()
        .post('/api/borrows')
        .auth(reader, { type: 'bearer' })
        .set('Idempotency-Key', key)
        .send({ bookInfoId });
    const reader = lendline.token();
    const refused = await borrow();
    expectProblem(refused, 409, 'OUT_OF_STOCK', { bookInfoId });
    await add({ key: unique('key') }).expect(201);
    const again = await borrow();
    expect([again.status, again.text]).toEqual([409, refused.text]);
  });

  it('repeats an answer even when the request would be refused now', async () => {
    const remove = () =>
      lendline
        .api()
        .delete(`/api/book-infos/${bookInfoId}`)
        .auth(lendline.admin, { type: 'bearer' })
        .set('Idempotency-Key', key);
    await remove().expect(204);
    await remove().expect(204);
    expectProblem(await remove().set('Idempotency-Key', unique('key')), 404, 'BOOK_INFO_NOT_FOUND');
  });

  it('is not used up by a request that is not valid', async () => {
    expectFaults(await add({ count: 0 }), { count: 'OUT_OF_RANGE' });
    await add({ count: 1 }).expect(201);
  });

  it.each(['', ' '.repeat(256), 'x'.repeat(256), 'schlüssel', 'a\tb'])(
    'answers 400 VALIDATION_FAILED when it is no key: %j',
    async (bad) => {
      const headers = {
        Authorization: `Bearer ${lendline.admin}`,
        'Idempotency-Key': bad,
        'Content-Type': 'application/json',
      };
      const response = await send(lendline.url, {
        method: 'POST',
        path: `/api/book-infos/${bookInfoId}/books`,
        headers,
        body: '{"count":1}',
      });
      // Node trims a header, so that blanks alone are an empty key.
      expectFaults(response, { 'Idempotency-Key': 'INVALID_FORMAT' });
      expect(await stock()).toBe(0);
    },
  );

  it('answers 400 to two keys instead of joining them', async () => {
    const headers = {
      Authorization: `Bearer ${lendline.admin}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': [unique('key'), unique('key')],
    };
    const twice = await send(lendline.url, {
      method: 'POST',
      path: `/api/book-infos/${bookInfoId}/books`,
      headers,
      body: '{"count":1}',
    });
    expectFaults(twice, { 'Idempotency-Key': 'REPEATED_PARAMETER' });
    expect(await stock()).toBe(0);
  });

  it('may have 255 printable characters', async () => {
    const long = `${key} ~!"#$%&'()*+,-./:;<=>?@[]^_{|}`.padEnd(255, 'x');
    const first = await add({ key: long });
    expect([first.status, (await add({ key: long })).text]).toEqual([201, first.text]);
    expect(await stock()).toBe(1);
  });
});
