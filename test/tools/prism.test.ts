import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import supertest, { type Response, type Test } from 'supertest';
import { Library, succeeded, uniqueWord, type Borrow } from '../support/clients/books';
import { Campus } from '../support/clients/courses';
import { Board } from '../support/clients/posts';
import { startPrism } from '../support/clients/prism';
import type { Service } from '../support/clients/requests';
import { startFront, type Front } from '../support/faults/front';
import { temporaryFolder } from '../support/run/cleanup';
import { FETCH_MS } from '../support/service/npm-program';
import { startService } from '../support/service/start-service';
import { targetAt, type Target } from '../support/service/target';

/** Prism stands between the clients and the service, and holds both against the document. */

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const CSV = { Accept: 'text/csv' };
const MINIMAL = { Prefer: 'return=minimal' };
const ASYNC = { Prefer: 'respond-async' };

let front: Front;
let target: Target;
/** What Prism has found in this test. It says that with the answer. */
let violations: string[];

beforeAll(async () => {
  const service = await startService({ on: 'embedded' });
  const { text } = await service.target.api().get('/openapi.json').expect(200);
  const documentFile = join(await temporaryFolder('prism'), 'openapi.json');
  // Without a dialect, Prism takes the schemas for draft 7, in which objects cannot be closed so.
  const document = { jsonSchemaDialect: DIALECT, ...(JSON.parse(text) as object) };
  await writeFile(documentFile, JSON.stringify(document));
  front = await startFront(service.target.url);
  const url = await startPrism(documentFile, front.url);
  const note = ({ headers }: Response): void => {
    const found = headers['sl-violations'];
    if (found !== undefined) violations.push(found);
  };
  const api = () => supertest.agent(url).use((request: Test) => void request.on('response', note));
  target = { ...targetAt('embedded', [url]), api };
}, FETCH_MS);

beforeEach(() => {
  violations = [];
});

function expectRefusal({ status, type, body }: Response, ...refusal: [number, string]): void {
  expect([status, body.code, type]).toEqual([...refusal, 'application/problem+json']);
}

/** Reads a list as CSV, and something again that has not changed. */
async function readTwice(
  service: Service,
  list: string,
  one: string,
  token?: string,
): Promise<void> {
  const csv = await service.call('get', list, { token, headers: CSV });
  expect([csv.status, csv.type]).toEqual([200, 'text/csv']);
  const { etag } = (await service.call('get', one, { token })).headers;
  const same = { token, headers: { 'If-None-Match': etag ?? '' } };
  expect((await service.call('get', one, same)).status).toBe(304);
}

/** Waits for the result of a command that was promised. */
async function resultOf(service: Service, promise: Response, token: string): Promise<void> {
  const { statusUrl } = succeeded(promise, 202) as { statusUrl: string };
  const result = await service.call('get', `${statusUrl}?wait=30`, { token });
  expect(result.body).toMatchObject({ status: 'succeeded' });
}

it('finds nothing in borrows, holds and returns', async () => {
  const library = new Library(target);
  const [reader, other] = [library.newReader(), library.newReader()];
  const { bookInfoId } = await library.registered({ copies: 1 });
  const { borrowId }: Borrow = await library.borrowed(reader, { bookInfoId });
  expectRefusal(await library.borrow(reader, { bookInfoId }), 409, 'ALREADY_BORROWED');
  const { holdId } = succeeded(await library.placeHold(other, bookInfoId), 201);
  expectRefusal(await library.renew(reader, borrowId), 409, 'HELD_BY_OTHERS');
  const late = { token: reader.token, body: { borrowId }, headers: ASYNC };
  await resultOf(library, await library.call('post', '/api/returns', late), reader.token);
  expect((await library.cancelHold(other, holdId)).status).toBe(204);
  expectRefusal(await library.call('get', '/api/book-infos/999999999'), 404, 'BOOK_INFO_NOT_FOUND');
  expectRefusal(await library.histories({ ...reader, token: 'x' }), 401, 'TOKEN_INVALID');
  await readTwice(library, '/api/book-infos', `/api/book-infos/${bookInfoId}`);
  expect(violations).toEqual([]);
});

it('finds nothing in posts and tags', async () => {
  const board = new Board(target);
  const [tag, other] = [uniqueWord(), uniqueWord()];
  const { postId } = await board.posted({ tags: [tag, other] });
  expect(await board.find(`tags=${tag}&exclude=${uniqueWord()}`)).toEqual([postId]);
  const { admin: token } = target;
  const changed = { token, body: { title: 'Changed' }, headers: MINIMAL };
  expect((await board.call('patch', `/posts/${postId}`, changed)).status).toBe(204);
  const stale = { token, body: { title: 'Stale' }, headers: { 'If-Match': '"0"' } };
  expectRefusal(await board.call('patch', `/posts/${postId}`, stale), 412, 'VERSION_MISMATCH');
  expectRefusal(await board.rename(tag, other), 409, 'TAG_TAKEN');
  const late = { token, headers: ASYNC };
  await resultOf(board, await board.call('delete', `/tags/${other}`, late), token);
  await readTwice(board, '/posts', `/posts/${postId}`);
  expect(violations).toEqual([]);
});

it('finds nothing in courses and subscriptions', async () => {
  const campus = new Campus(target);
  const [lecturer, reader, other] = [
    campus.newLecturer(),
    await campus.knownReader(),
    await campus.knownReader(),
  ];
  const { courseId } = await campus.registered({ capacity: 1 }, lecturer);
  const video = await campus.addedVideo(courseId);
  await campus.subscribed(reader, courseId);
  expectRefusal(await campus.subscribe(other, courseId), 409, 'COURSE_FULL');
  await campus.joined(other, courseId);
  succeeded(await campus.completion('put', reader, video), 200);
  const course = { token: lecturer.token, body: { capacity: 2 }, headers: ASYNC };
  const promise = await campus.call('patch', `/courses/${courseId}`, course);
  await resultOf(campus, promise, lecturer.token);
  expectRefusal(await campus.leaveWaitlist(other, courseId), 404, 'WAITLIST_ENTRY_NOT_FOUND');
  await campus.cancelled(other, courseId);
  const roster = `/courses/${courseId}/subscriptions`;
  expectRefusal(await campus.call('get', roster, { token: reader.token }), 403, 'FORBIDDEN');
  await readTwice(campus, roster, `/courses/${courseId}`, lecturer.token);
  expect(violations).toEqual([]);
});

it('refuses a request that the document does not describe', async () => {
  const library = new Library(target);
  const response = await library.borrow(library.newReader(), { bokInfoId: 1 });
  expect(response.body).toMatchObject({
    type: 'https://stoplight.io/prism/errors#UNPROCESSABLE_ENTITY',
    validation: expect.arrayContaining([
      expect.objectContaining({ message: expect.stringContaining('bokInfoId') }),
    ]),
  });
});

it('refuses an answer with a member that the document does not have', async () => {
  const library = new Library(target);
  const reader = library.newReader();
  const { bookInfoId } = await library.registered({ copies: 1 });
  const borrow: Borrow = await library.borrowed(reader, { bookInfoId });
  front.next((_incoming, outgoing) => {
    outgoing.setHeader('Content-Type', 'application/json');
    outgoing.end(JSON.stringify({ ...borrow, nothing: 1 }));
  });
  const { token } = reader;
  const { status, body } = await library.call('get', `/api/borrows/${borrow.borrowId}`, { token });
  expect({ status, body }).toMatchObject({
    status: 500,
    body: {
      type: 'https://stoplight.io/prism/errors#VIOLATIONS',
      validation: [{ message: expect.stringContaining('nothing') }],
    },
  });
  expect(violations).toHaveLength(1);
});
