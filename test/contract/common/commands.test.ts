import { INSTANT } from '../../support/clients/books';
import { eventsOf } from '../../support/clients/event-stream';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import { target, type Target } from '../../support/service/target';
import { NO_ID, registerTitle, send, unique } from './helpers';

let lendline: Target;
/** Who sends the commands here. */
let owner: string;
beforeAll(async () => {
  lendline = await target();
  owner = lendline.token();
});

type Headers = Record<string, string>;
const as = (token: string): Headers => ({ Authorization: `Bearer ${token}` });
const get = (
  commandId: string,
  { token = owner, rest = '' }: { token?: string; rest?: string } = {},
) => lendline.api().get(`/api/commands/${commandId}${rest}`).set(as(token));

/** A borrow by the owner, sent without waiting; returns its command id. */
async function sendBorrow(bookInfoId: number, headers: Headers = {}): Promise<string> {
  const { body } = await lendline
    .api()
    .post('/api/borrows')
    .set({ ...as(owner), Prefer: 'respond-async', ...headers })
    .send({ bookInfoId })
    .expect(202);
  return body.commandId as string;
}

const titleWithCopies = async (copies: number) =>
  (await registerTitle(lendline, { copies })).bookInfoId;

describe('a command', () => {
  it('that has succeeded shows its result', async () => {
    const bookInfoId = await titleWithCopies(1);
    const commandId = await sendBorrow(bookInfoId);
    const { status, body } = await get(commandId, { rest: '?wait=30' });
    expect(status).toBe(200);
    expect(body).toEqual({
      commandId,
      type: 'lending.borrow-book',
      status: 'succeeded',
      httpStatus: 201,
      result: expect.objectContaining({ bookInfoId, status: 'BORROWED' }),
      problem: null,
      createdAt: expect.stringMatching(INSTANT),
      completedAt: expect.stringMatching(INSTANT),
    });
    expect(body.completedAt >= body.createdAt).toBe(true);
    expect((await get(commandId)).body).toEqual(body);
  });

  it('that was refused shows the problem', async () => {
    const bookInfoId = await titleWithCopies(0);
    const requestId = unique('request').replace(' ', '-');
    const commandId = await sendBorrow(bookInfoId, { 'X-Request-Id': requestId });
    const { body } = await get(commandId, { rest: '?wait=30' });
    expect(body).toMatchObject({
      commandId,
      status: 'failed',
      httpStatus: 409,
      result: null,
      problem: { status: 409, code: 'OUT_OF_STOCK', requestId },
    });
  });

  it('that has no result shows none', async () => {
    const bookInfoId = await titleWithCopies(0);
    const { body } = await lendline
      .api()
      .delete(`/api/book-infos/${bookInfoId}`)
      .set({ ...as(lendline.admin), Prefer: 'respond-async' })
      .expect(202);
    expect(
      (await get(body.commandId, { token: lendline.admin, rest: '?wait=30' })).body,
    ).toMatchObject({ status: 'succeeded', httpStatus: 204, result: null, problem: null });
  });

  it('that was just sent is known at once at every API', async () => {
    const bookInfoId = await titleWithCopies(0);
    for (let round = 0; round < 10; round += 1) {
      const commandId = await sendBorrow(bookInfoId);
      for (const url of lendline.urls) {
        const { status, body } = await send(url, {
          method: 'GET',
          path: `/api/commands/${commandId}`,
          headers: as(owner),
        });
        expect([status, body.commandId, ['queued', 'failed'].includes(body.status)]).toEqual([
          200,
          commandId,
          true,
        ]);
        if (body.status === 'queued')
          expect(body).toMatchObject({
            type: 'lending.borrow-book',
            httpStatus: null,
            result: null,
            problem: null,
            completedAt: null,
            createdAt: expect.stringMatching(INSTANT),
          });
      }
    }
  });

  it.each(['-1', '31', '1.5', 'x', '', '%205', '1e1'])(
    'is not waited for with wait=%s: 400 VALIDATION_FAILED',
    async (wait) => {
      const commandId = await sendBorrow(await titleWithCopies(0));
      expectFaults(await get(commandId, { rest: `?wait=${wait}` }), { wait: expect.any(String) });
    },
  );

  it('takes no other parameter', async () => {
    expectFaults(await get('0', { rest: '?timeout=1' }), { timeout: 'UNKNOWN_PARAMETER' });
    expectFaults(await get('0', { rest: '/events?wait=1' }), { wait: 'UNKNOWN_PARAMETER' });
  });
});

describe('result and problem', () => {
  /**
   * The text that the waiting call gets, and the text of the command that the same key stands for.
   */
  async function bothTexts(method: 'POST' | 'PATCH', path: string, token: string, body: object) {
    const headers = {
      ...as(token),
      'Idempotency-Key': unique('key'),
      'Content-Type': 'application/json',
    };
    const request = { method, path, headers, body: JSON.stringify(body) };
    const promise = await send(lendline.url, {
      ...request,
      headers: { ...headers, Prefer: 'respond-async' },
    });
    expect(promise.status).toBe(202);
    const command = await send(lendline.url, {
      method: 'GET',
      path: `${promise.body.statusUrl}?wait=30`,
      headers: as(token),
    });
    const waiting = await send(lendline.url, request);
    expect(waiting.status).toBe(command.body.httpStatus);
    return { command: command.text, waiting: waiting.text };
  }

  it('stand in the command byte for byte as the waiting call gets them', async () => {
    const title = '데미안 📚 </script> \u2028 "quoted" \\ é';
    const registered = await bothTexts('POST', '/api/book-infos', lendline.admin, {
      title,
      author: unique('Author'),
      copies: 3,
    });
    expect(registered.waiting).toContain('bookInfoId');
    expect(registered.command).toContain(`"result":${registered.waiting},"problem":null`);
    const refused = await bothTexts('POST', '/api/borrows', owner, { bookInfoId: NO_ID });
    expect(refused.waiting).toContain('BOOK_INFO_NOT_FOUND');
    expect(refused.command).toContain(`"result":null,"problem":${refused.waiting}`);
  });

  it('of a command that took longer than the wait are returned for its key later', async () => {
    const bookInfoId = await titleWithCopies(1);
    const borrowed = await bothTexts('POST', '/api/borrows', owner, { bookInfoId });
    expect(borrowed.command).toContain(`"result":${borrowed.waiting},"problem":null`);
    const again = await bothTexts('POST', '/api/borrows', owner, { bookInfoId });
    expect(again.waiting).toContain('ALREADY_BORROWED');
    expect(again.command).toContain(`"problem":${again.waiting}`);
  });
});

describe('who may see a command', () => {
  let commandId: string;
  beforeAll(async () => {
    commandId = await sendBorrow(await titleWithCopies(1));
  });

  it.each(['', '/events'])(
    'its owner and an administrator may, anyone else gets 404 COMMAND_NOT_FOUND: %j',
    async (rest) => {
      expect((await get(commandId, { rest })).status).toBe(200);
      expect((await get(commandId, { rest, token: lendline.admin })).status).toBe(200);
      expectProblem(
        await get(commandId, { rest, token: lendline.token() }),
        404,
        'COMMAND_NOT_FOUND',
      );
      expectProblem(
        await get(commandId, { rest, token: lendline.token({ role: 'lecturer' }) }),
        404,
        'COMMAND_NOT_FOUND',
      );
      expectProblem(
        await lendline.api().get(`/api/commands/${commandId}${rest}`),
        404,
        'COMMAND_NOT_FOUND',
      );
      expectProblem(await get(commandId, { rest, token: 'bad' }), 401, 'TOKEN_INVALID');
    },
  );

  it('nobody sees an id that was never issued: 404 COMMAND_NOT_FOUND', async () => {
    const last = commandId.at(-1) === '0' ? '1' : '0';
    const madeUp = [
      '1',
      'x',
      '%20',
      '0'.repeat(40),
      'f'.repeat(40),
      commandId.slice(0, -1),
      commandId.toUpperCase(),
      `${commandId}0`,
      `0${commandId.slice(1)}`,
    ];
    for (const id of madeUp.filter((id) => id !== commandId))
      expectProblem(await get(id, { token: lendline.admin }), 404, 'COMMAND_NOT_FOUND');
    expectProblem(await get(`${commandId.slice(0, -1)}${last}`), 404, 'COMMAND_NOT_FOUND');
  });

  it('the owner is the user and not the token', async () => {
    const userId = lendline.newUserId();
    const { body } = await lendline
      .api()
      .post('/api/borrows')
      .set({ ...as(lendline.token({ userId })), Prefer: 'respond-async' })
      .send({ bookInfoId: NO_ID });
    expect(
      (
        await get(body.commandId, {
          token: lendline.token({ userId, username: 'renamed', expiresIn: 60 }),
        })
      ).status,
    ).toBe(200);
  });
});

describe('the events of a command', () => {
  const dataOf = (text: string) => eventsOf(text).map(({ data }) => data);

  it('end with the final one, which is what a GET answers', async () => {
    const commandId = await sendBorrow(await titleWithCopies(1));
    const stream = await get(commandId, { rest: '/events' });
    expect([stream.status, stream.headers['content-type']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    const events = dataOf(stream.text);
    expect(events.at(-1)).toBe((await get(commandId)).text);
    expect(JSON.parse(events.at(-1)!)).toMatchObject({
      commandId,
      status: 'succeeded',
      httpStatus: 201,
    });
    for (const event of events.slice(0, -1))
      expect(JSON.parse(event)).toMatchObject({ commandId, status: 'queued' });
  });

  it('are only the final one when the command has ended', async () => {
    const commandId = await sendBorrow(await titleWithCopies(0));
    const { text } = await get(commandId, { rest: '?wait=30' });
    expect(dataOf((await get(commandId, { rest: '/events' })).text)).toEqual([text]);
  });
});
