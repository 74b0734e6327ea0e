import { expectProblem } from '../../support/clients/problems';
import { target, type Target } from '../../support/service/target';
import { NO_ID, registerTitle, unique } from './helpers';

let lendline: Target;
beforeAll(async () => {
  lendline = await target();
});

const COMMAND_ID = /^[0-9a-f]{40}$/;
const register = () =>
  lendline.api().post('/api/book-infos').auth(lendline.admin, { type: 'bearer' });
const attributes = () => ({ title: unique('Title'), author: unique('Author') });

/** The command's state once it has ended. */
const ended = (commandId: string) =>
  lendline.api().get(`/api/commands/${commandId}?wait=30`).auth(lendline.admin, { type: 'bearer' });

describe('a write', () => {
  it('is answered with its final status and body', async () => {
    const response = await register().send(attributes());
    expect([response.status, response.headers['preference-applied']]).toEqual([201, undefined]);
    expect(response.headers['location']).toBe(`/api/book-infos/${response.body.bookInfoId}`);
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('is seen by every later read at every API, once it was answered', async () => {
    const { bookInfoId } = await registerTitle(lendline);
    for (let count = 1; count <= 8; count += 1) {
      await lendline
        .api()
        .post(`/api/book-infos/${bookInfoId}/books`)
        .auth(lendline.admin, { type: 'bearer' })
        .send({ count: 1 })
        .expect(201);
      for (let read = 0; read < 2 * lendline.urls.length; read += 1) {
        expect((await lendline.api().get(`/api/book-infos/${bookInfoId}`)).body.totalStock).toBe(
          count,
        );
        expect(
          (await lendline.api().get(`/api/book-infos/${bookInfoId}/books`)).body.totalItems,
        ).toBe(count);
      }
    }
    await lendline
      .api()
      .delete(`/api/book-infos/${bookInfoId}`)
      .auth(lendline.admin, { type: 'bearer' })
      .expect(204);
    for (let read = 0; read < 2 * lendline.urls.length; read += 1)
      expectProblem(
        await lendline.api().get(`/api/book-infos/${bookInfoId}`),
        404,
        'BOOK_INFO_NOT_FOUND',
      );
  });

  it('is seen by every later read, once its command shows that it succeeded', async () => {
    for (let round = 0; round < 5; round += 1) {
      const sent = attributes();
      const { body } = await register().set('Prefer', 'respond-async').send(sent).expect(202);
      expect((await ended(body.commandId)).body.status).toBe('succeeded');
      expect(
        (await lendline.api().get(`/api/book-infos?title=${encodeURIComponent(sent.title)}`)).body
          .totalItems,
      ).toBe(1);
    }
  });

  it('that is refused names the ids that stand in the way', async () => {
    const { bookInfoId } = await registerTitle(lendline, { copies: 2 });
    const borrow = () =>
      lendline.api().post('/api/borrows').auth(reader, { type: 'bearer' }).send({ bookInfoId });
    const reader = lendline.token();
    const { borrowId } = (await borrow().expect(201)).body;
    expectProblem(await borrow(), 409, 'ALREADY_BORROWED', { borrowId });
  });
});

describe('Prefer', () => {
  it('respond-async is answered with the promise at once', async () => {
    const { status, body, headers } = await register()
      .set('Prefer', 'respond-async')
      .send(attributes());
    expect(status).toBe(202);
    expect(body).toEqual({
      commandId: expect.stringMatching(COMMAND_ID),
      status: 'queued',
      statusUrl: `/api/commands/${body.commandId}`,
    });
    expect(headers['location']).toBe(body.statusUrl);
    expect(headers['preference-applied']).toBe('respond-async');
  });

  it('wait=0 does not wait', async () => {
    const { status, headers } = await register().set('Prefer', 'wait=0').send(attributes());
    expect([status, headers['preference-applied']]).toEqual([202, 'wait=0']);
  });

  it.each([
    ['wait=30', 'wait=30'],
    ['wait="20"', 'wait=20'],
    ['wait=86400', 'wait=30'],
    ['Respond-Async, WAIT=25', 'respond-async, wait=25'],
    ['handling=lenient; foo="some parameter", wait=12', 'wait=12'],
  ])('%s waits, and says for how long', async (prefer, applied) => {
    const { status, headers } = await register().set('Prefer', prefer).send(attributes());
    expect([status, headers['preference-applied']]).toEqual([201, applied]);
  });

  it.each(['wait=-1', 'wait=soon', 'wait', 'return=least', 'respond-asynchronously'])(
    '%s is not understood and ignored',
    async (prefer) => {
      const { status, headers } = await register().set('Prefer', prefer).send(attributes());
      expect([status, headers['preference-applied']]).toEqual([201, undefined]);
    },
  );

  it('respond-async delays no refusal that is known without a worker', async () => {
    const send = (token: string | null, body: object) => {
      const request = lendline
        .api()
        .post('/api/book-infos')
        .set('Prefer', 'respond-async')
        .send(body);
      return token === null ? request : request.auth(token, { type: 'bearer' });
    };
    const refused = [
      await send(null, attributes()),
      await send('x', attributes()),
      await send(lendline.token(), attributes()),
      await send(lendline.admin, {}),
    ];
    expect(
      refused.map(({ status, body, headers }) => [
        status,
        body.code,
        headers['preference-applied'],
      ]),
    ).toEqual([
      [401, 'UNAUTHENTICATED', undefined],
      [401, 'TOKEN_INVALID', undefined],
      [403, 'FORBIDDEN', undefined],
      [400, 'VALIDATION_FAILED', undefined],
    ]);
    const unknown = await lendline
      .api()
      .post('/api/borrows')
      .auth(lendline.token(), { type: 'bearer' })
      .set('Prefer', 'respond-async')
      .send({ bookId: NO_ID });
    expectProblem(unknown, 404, 'BOOK_NOT_FOUND');
    expect(unknown.headers['preference-applied']).toBeUndefined();
  });

  it('respond-async carries the command out exactly once', async () => {
    const { bookInfoId } = await registerTitle(lendline);
    const add = () =>
      lendline
        .api()
        .post(`/api/book-infos/${bookInfoId}/books`)
        .auth(lendline.admin, { type: 'bearer' })
        .set('Prefer', 'respond-async')
        .send({ count: 1 });
    const promises = await Promise.all(Array.from({ length: 10 }, add));
    const ids = promises.map(({ body }) => body.commandId as string);
    expect(new Set(ids).size).toBe(10);
    for (const id of ids) expect((await ended(id)).body.status).toBe('succeeded');
    expect((await lendline.api().get(`/api/book-infos/${bookInfoId}`)).body.totalStock).toBe(10);
  });
});
