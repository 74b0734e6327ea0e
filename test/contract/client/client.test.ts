import { openLibrary, uniqueWord, type Library } from '../../support/clients/books';
import { breakOff, loseAnswer, refuse, startFront, type Front } from '../../support/faults/front';
import { loadClient, type Client } from '../../support/clients/lendline-client';

/** The TypeScript client against the service, and against a network that fails. */

type Lendline = InstanceType<Client['Lendline']>;

let library: Library;
let front: Front;
let client: Client;
beforeAll(async () => {
  library = await openLibrary();
  client = await loadClient();
});
beforeEach(async () => {
  front = await startFront(library.target.url);
});

const connect = (options: { token?: string; retries?: number } = {}): Lendline =>
  new client.Lendline({ baseUrl: front.url, token: library.target.token(), ...options });
const connectAdmin = (): Lendline => connect({ token: library.target.admin });
const postsSeen = () => front.seen.filter(({ method }) => method === 'POST');

describe('a write', () => {
  it('returns the result, or the problem with its code', async () => {
    const { bookInfoId } = await library.registered({ copies: 1 });
    const lendline = connect();
    const made = await lendline.borrows.create({ bookInfoId });
    expect(made).toMatchObject({ ok: true, status: 201, value: { bookInfoId, returnedAt: null } });
    const refused = await lendline.borrows.create({ bookInfoId });
    expect(refused).toMatchObject({ ok: false, problem: { code: 'ALREADY_BORROWED' } });
    expect(() => client.valueOf(refused)).toThrow(client.Refusal);
    const returned = client.valueOf(await lendline.returns.create({ bookInfoId }));
    expect(returned.returnedAt).not.toBeNull();
    // A refusal of the rules is final.
    expect(postsSeen()).toHaveLength(3);
  });

  it('is sent again under the same key after 503, 429 and 408, not before Retry-After has passed', async () => {
    const { bookInfoId } = await library.registered({ copies: 1 });
    const times: number[] = [];
    const noted: typeof refuse = (...given) => {
      const answer = refuse(...given);
      return (...exchange) => {
        times.push(Date.now());
        answer(...exchange);
      };
    };
    front.next(noted(503, 1), noted(429, 1), noted(408, 0));
    expect(await connect().borrows.create({ bookInfoId })).toMatchObject({ ok: true });
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1000);
    const keys = postsSeen().map(({ key }) => key);
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it('reports every refusal of a dry run, and borrows nothing', async () => {
    const { bookInfoId } = await library.registered({ copies: 1 });
    const lendline = connect();
    const free = client.valueOf(await lendline.borrows.check({ bookInfoId }));
    expect(free).toEqual({ allowed: true, blockers: [] });
    await lendline.borrows.create({ bookInfoId });
    const { blockers } = client.valueOf(await lendline.borrows.check({ bookInfoId }));
    expect(blockers.map(({ code }) => code)).toEqual(['ALREADY_BORROWED', 'OUT_OF_STOCK']);
  });

  it('has one effect when the connection breaks before or after it', async () => {
    const { bookInfoId } = await library.registered({ copies: 2 });
    front.next(breakOff, loseAnswer(library.target.url));
    const lendline = connect();
    const { borrowId } = client.valueOf(await lendline.borrows.create({ bookInfoId }));
    expect(postsSeen()).toHaveLength(3);
    const found = [];
    for await (const borrow of lendline.borrows.list()) found.push(borrow.borrowId);
    expect(found).toEqual([borrowId]);
  });

  it('follows a promise to the answer that a waiting client gets', async () => {
    const { bookInfoId } = await library.registered({ copies: 1 });
    const made = await connect().borrows.create({ bookInfoId }, { wait: 0 });
    expect(made).toMatchObject({ ok: true, status: 201 });
    expect(made.headers.get('Location')).toMatch(/^\/api\/borrows\/\d+$/);
  });

  it('rejects with the id of the command when it is not to be followed', async () => {
    const lendline = connectAdmin();
    const body = { title: uniqueWord(), author: 'Frank Herbert' };
    // With `wait: 0` the answer may be there at once all the same.
    const outcome = await lendline
      .request('POST', '/api/book-infos', { body, wait: 0, followMs: 0 })
      .catch((error: unknown) => error);
    if (outcome instanceof client.Unfinished) {
      const path = { command: outcome.commandId };
      const query = { wait: 20 };
      const command = await lendline.request('GET', '/api/commands/{command}', { path, query });
      expect(client.valueOf(command)).toMatchObject({ status: 'succeeded' });
    } else expect(outcome).toMatchObject({ ok: true });
  });

  it('gives up after so many tries: with the refusal, or with NoAnswer', async () => {
    const { bookInfoId } = await library.registered({ copies: 1 });
    const lendline = connect({ retries: 1 });
    front.next(refuse(503, 1), refuse(503, 1));
    expect(await lendline.borrows.create({ bookInfoId })).toMatchObject({
      problem: { code: 'UNAVAILABLE' },
    });
    front.next(breakOff, breakOff);
    await expect(lendline.borrows.create({ bookInfoId })).rejects.toThrow(client.NoAnswer);
    expect(postsSeen()).toHaveLength(4);
  });

  it('leaves a long Retry-After to the caller', async () => {
    front.next(refuse(429, 3600));
    expect(await connect().borrows.create({ bookInfoId: 1 })).toMatchObject({
      problem: { code: 'RATE_LIMITED' },
    });
  });

  it('ends with its signal, even in a pause between two attempts', async () => {
    front.next(refuse(503, 20));
    const over = new AbortController();
    const call = connect().borrows.create({ bookInfoId: 1 }, { signal: over.signal });
    setTimeout(() => {
      over.abort(new Error('The reader has left.'));
    }, 200);
    await expect(call).rejects.toThrow('The reader has left.');
  });
});

describe('reads', () => {
  it('goes through all pages of a list', async () => {
    const word = uniqueWord();
    const made: number[] = [];
    for (const n of [1, 2, 3])
      made.push((await library.registered({ title: `${word} ${n}` })).bookInfoId);
    const found = [];
    for await (const { bookInfoId } of connect().books.list({ q: word, size: 2 }))
      found.push(bookInfoId);
    expect(found).toHaveLength(made.length);
    expect(new Set(found)).toEqual(new Set(made));
    expect(front.seen).toHaveLength(2);
  });

  it('throws the refusal of a list', async () => {
    const list = connect().books.list({ sort: 'colour' as never });
    await expect(list.next()).rejects.toMatchObject({ problem: { code: 'VALIDATION_FAILED' } });
  });

  it('encodes what it puts into paths and queries', async () => {
    const tag = `${uniqueWord()} c++/&`;
    const userId = library.target.newUserId();
    const lendline = connect({ token: library.target.token({ userId }) });
    const post = { title: 'Dune', content: 'Spice', tags: [tag], userId };
    const { postId } = client.valueOf(await lendline.posts.create(post));
    const found = [];
    for await (const one of lendline.posts.tagged({ tags: [tag] })) found.push(one.postId);
    expect(found).toEqual([postId]);
    expect(client.valueOf(await lendline.tags.get(tag))).toMatchObject({ name: tag });
  });

  it('asks a function for the token of each request', async () => {
    const tokens = [library.target.token(), null];
    const lendline = connect().withToken(() => tokens.shift());
    expect(await lendline.users.me()).toMatchObject({ ok: true });
    expect(await lendline.users.me()).toMatchObject({ problem: { code: 'UNAUTHENTICATED' } });
  });
});
