import { randomUUID } from 'node:crypto';
import addFormats from 'ajv-formats';
import Ajv2020 from 'ajv/dist/2020';
import { CloudEvent as CloudEvents } from 'cloudevents';
import { asyncApiDocument } from '../../../api/events/asyncapi';
import { together } from '../../../api/service';
import { apiServices } from '../../../api/services';
import type { CoursesEvents } from '../../../shared/courses/events';
import type { LendingEvents } from '../../../shared/lending/events';
import type { CloudEvent } from '../../../shared/messaging/event';
import type { PostsEvents } from '../../../shared/posts/events';
import {
  BOOK_INFO_KEYS,
  BORROW_KEYS,
  COPY_KEYS,
  expectKeys,
  HOLD_KEYS,
  INSTANT,
  Library,
  newIsbn13,
  succeeded,
  uniqueWord,
} from './books';
import { Campus, COURSE_KEYS, SUBSCRIPTION_KEYS, VIDEO_KEYS, WAIT_KEYS } from './courses';
import { Board } from './posts';
import { expectProblem } from './problems';
import type { Service } from './requests';
import type { Target } from '../service/target';

/**
 * Every change that makes events, with what makes none in between: refusals, repeats, and changes
 * to what is already so.
 */

/** An event as the outbox has it. */
export interface EventBody {
  readonly eventId: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly aggregateId: string;
  readonly commandId: string;
  readonly sequence: number;
  readonly traceparent?: string;
  readonly data: Record<string, unknown>;
}

const POST_KEYS = ['postId', 'title', 'tags', 'content', 'createdAt', 'userId'];

/** What the data of each type of event has. */
export const EVENT_DATA: Readonly<
  Record<keyof LendingEvents | keyof PostsEvents | keyof CoursesEvents, readonly string[]>
> = {
  'lending.book-info.created': BOOK_INFO_KEYS,
  'lending.book-info.updated': BOOK_INFO_KEYS,
  'lending.book-info.deleted': ['bookInfoId'],
  'lending.copies.added': ['bookInfoId', 'bookIds', 'totalStock', 'availableStock'],
  'lending.copies.changed': [...COPY_KEYS, 'deleted', 'totalStock', 'availableStock'],
  'lending.borrow.created': BORROW_KEYS,
  'lending.borrow.renewed': BORROW_KEYS,
  'lending.borrow.returned': BORROW_KEYS,
  'lending.borrow.lost': BORROW_KEYS,
  'lending.borrow.due-soon': BORROW_KEYS,
  'lending.borrow.overdue': BORROW_KEYS,
  'lending.hold.placed': HOLD_KEYS,
  'lending.hold.ready': HOLD_KEYS,
  'lending.hold.requeued': HOLD_KEYS,
  'lending.hold.fulfilled': HOLD_KEYS,
  'lending.hold.expired': HOLD_KEYS,
  'lending.hold.cancelled': HOLD_KEYS,
  'lending.loan-rules.changed': ['rules', 'version', 'modifiedAt'],
  'lending.calendar.changed': [
    'timeZone',
    'closedWeekdays',
    'closedDates',
    'version',
    'modifiedAt',
  ],
  'posts.post.created': POST_KEYS,
  'posts.post.updated': POST_KEYS,
  'posts.post.deleted': ['postId'],
  'posts.tag.merged': ['tagId', 'name', 'postCount', 'into'],
  'posts.tag.renamed': ['tagId', 'name', 'postCount', 'formerName'],
  'posts.tag.deleted': ['tagId', 'name', 'postCount'],
  'courses.course.created': COURSE_KEYS,
  'courses.course.updated': COURSE_KEYS,
  'courses.course.deleted': ['courseId'],
  'courses.video.added': VIDEO_KEYS,
  'courses.video.updated': VIDEO_KEYS,
  'courses.video.deleted': ['videoId', 'courseId'],
  'courses.subscription.created': SUBSCRIPTION_KEYS,
  'courses.subscription.cancelled': SUBSCRIPTION_KEYS,
  'courses.subscription.completed': SUBSCRIPTION_KEYS,
  'courses.progress.changed': [...SUBSCRIPTION_KEYS, 'videoId', 'completed'],
  'courses.waitlist.joined': WAIT_KEYS,
  'courses.waitlist.left': ['courseId', 'userId', 'username'],
  'courses.waitlist.promoted': SUBSCRIPTION_KEYS,
};

/** What only time brings, and no tour waits for. */
export const BY_TIME: readonly string[] = [
  'lending.borrow.due-soon',
  'lending.borrow.overdue',
  'lending.hold.expired',
];

/** The events that the AsyncAPI document knows, as schemas by type. */
const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
const document = asyncApiDocument(together(apiServices).events) as {
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly payload: { readonly $ref: string } }>>;
  };
};
ajv.addSchema(document, 'asyncapi');

/** Returns what the document has against an event. */
function documentFaults(event: CloudEvent): unknown {
  const message = document.components.messages[event.type];
  if (!message) return `no event is called ${event.type}`;
  const isValid = ajv.getSchema(`asyncapi${message.payload.$ref}`);
  return isValid?.(event) ? null : (isValid?.errors ?? 'no schema');
}

/** Returns the event as the outbox has it. */
export function bodyOf(json: string): EventBody {
  const { id, type, time, subject, commandid, sequence, traceparent, data } = JSON.parse(
    json,
  ) as CloudEvent;
  return {
    ...{ eventId: id, type, occurredAt: time, aggregateId: subject, commandId: commandid },
    ...{ sequence, ...(traceparent !== undefined && { traceparent }) },
    data: data as EventBody['data'],
  };
}

/** Returns a CloudEvent that is as the AsyncAPI document says, with the data of its type. */
export function expectEvent(json: string): EventBody {
  const event = JSON.parse(json) as CloudEvent;
  expect(new CloudEvents({ ...event }).validate()).toBe(true);
  if (!event.type.startsWith('test.')) expect(documentFaults(event)).toBeNull();
  const body = bodyOf(json);
  expect(body.commandId).toMatch(/^[0-9a-f]{40}$/);
  expect(body.eventId).toMatch(new RegExp(`^${body.commandId}\\.[1-9]\\d*$`));
  expect(body.occurredAt).toMatch(INSTANT);
  const keys = (EVENT_DATA as Readonly<Record<string, readonly string[]>>)[body.type];
  // Only a borrow that an administrator lent says by whom.
  const always = Object.entries(body.data).filter(([name]) => name !== 'lentBy');
  if (keys) expectKeys(Object.fromEntries(always), keys);
  return body;
}

interface EventPage {
  readonly items: readonly object[];
  readonly next: string | null;
  readonly more: boolean;
}

/** Returns the events of an aggregate that are kept, the first first. */
export async function keptEvents(service: Service, aggregateId: string): Promise<EventBody[]> {
  const events: EventBody[] = [];
  for (let [after, more] = ['', true]; more;) {
    const path = `/api/events?after=${after}&size=1000&aggregateId=${aggregateId}`;
    const page = succeeded(await service.manage('get', path), 200) as EventPage;
    events.push(...page.items.map((item) => expectEvent(JSON.stringify(item))));
    [after, more] = [page.next ?? '', page.more];
  }
  return events;
}

/** The events of each aggregate are numbered without a gap, from the first that came. */
export function expectNoGap(events: readonly EventBody[]): void {
  const numbers = new Map<string, number[]>();
  for (const { aggregateId, sequence } of events)
    numbers.set(aggregateId, [...(numbers.get(aggregateId) ?? []), sequence]);
  for (const found of numbers.values())
    expect(found).toEqual(found.map((_, index) => (found[0] ?? 0) + index));
}

/** The event types of each aggregate of the tour, in order. */
export type Told = ReadonlyMap<string, readonly string[]>;

/** Takes the tour and returns the events that it must have caused. */
export async function tour(target: Target): Promise<Told> {
  return new Map([
    ...(await lendingTour(new Library(target))),
    ...(await holdsTour(new Library(target))),
    ...(await policiesTour(new Library(target))),
    ...(await postsTour(new Board(target))),
    ...(await coursesTour(new Campus(target))),
  ]);
}

/** Returns the events of the tour's aggregates as `Told`, out of all that arrived. */
export function toldBy(events: readonly EventBody[], aggregates: Iterable<string>): Told {
  const told = new Map<string, string[]>(Array.from(aggregates, (aggregate) => [aggregate, []]));
  for (const { aggregateId, type } of events) told.get(aggregateId)?.push(type);
  return told;
}

async function lendingTour(library: Library): Promise<[string, string[]][]> {
  const isbn = newIsbn13();
  const { bookInfoId, title, author } = await library.registered({ isbn, copies: 2 });
  const path = `/api/book-infos/${bookInfoId}`;
  const again = (copies: number, query = '') =>
    library.manage('post', `/api/book-infos${query}`, { title, author, isbn, copies });
  succeeded(await again(1), 200);
  succeeded(await again(0), 200);
  expectProblem(await again(1, '?onDuplicate=reject'), 409, 'ISBN_ALREADY_REGISTERED', {
    bookInfoId,
  });
  succeeded(await library.manage('patch', path, { title: `${title}!` }), 200);
  succeeded(await library.manage('patch', path, { title: `${title}!` }), 200);
  expectProblem(
    await library.manage('patch', path, { title }, { 'If-Match': '"1"' }),
    412,
    'VERSION_MISMATCH',
  );
  succeeded(await library.manage('post', `${path}/books`, { count: 1 }), 201);
  const reader = library.newReader();
  const headers = { 'Idempotency-Key': randomUUID() };
  const borrow = () =>
    library.call('post', '/api/borrows', { token: reader.token, body: { bookInfoId }, headers });
  const { borrowId } = succeeded(await borrow(), 201);
  expect((await borrow()).body.borrowId).toBe(borrowId);
  expectProblem(await library.borrow(reader, { bookInfoId }), 409, 'ALREADY_BORROWED', {
    borrowId,
  });
  succeeded(await library.renew(reader, borrowId), 200);
  await library.returned(reader, { borrowId });
  expectProblem(await library.giveBack(reader, { borrowId }), 409, 'ALREADY_RETURNED', {
    borrowId,
  });
  const { bookId } = await library.borrowed(library.newReader(), { bookInfoId });
  succeeded(await library.setCopyStatus({ bookInfoId, bookId }, 'LOST'), 200);
  succeeded(await library.setCopyStatus({ bookInfoId, bookId }, 'LOST'), 200);
  succeeded(await library.manage('delete', `${path}/books/${bookId}`), 204);
  succeeded(await library.manage('delete', path), 204);
  expectProblem(await library.manage('delete', path), 404, 'BOOK_INFO_NOT_FOUND');
  const types = [
    ...[
      'book-info.created',
      'copies.added',
      'copies.added',
      'book-info.updated',
      'copies.added',
      'borrow.created',
      'borrow.renewed',
      'borrow.returned',
    ],
    ...['borrow.created', 'copies.changed', 'borrow.lost', 'copies.changed', 'book-info.deleted'],
  ];
  return [[`book-info:${bookInfoId}`, types.map((type) => `lending.${type}`)]];
}

async function holdsTour(library: Library): Promise<[string, string[]][]> {
  const { bookInfoId, bookId } = await library.single();
  const [borrower, first, second] = [library.newReader(), library.newReader(), library.newReader()];
  const { borrowId } = await library.borrowed(borrower, { bookInfoId });
  const { holdId } = succeeded(await library.placeHold(first, bookInfoId), 201);
  expectProblem(await library.placeHold(first, bookInfoId), 409, 'ALREADY_HELD', { holdId });
  succeeded(await library.placeHold(second, bookInfoId), 201);
  expectProblem(await library.renew(borrower, borrowId), 409, 'HELD_BY_OTHERS', { bookInfoId });
  await library.returned(borrower, { borrowId });
  succeeded(await library.setCopyStatus({ bookInfoId, bookId }, 'LOST'), 200);
  succeeded(await library.setCopyStatus({ bookInfoId, bookId }, 'AVAILABLE'), 200);
  succeeded(await library.cancelHold(first, holdId), 204);
  expectProblem(await library.cancelHold(first, holdId), 404, 'HOLD_NOT_FOUND');
  await library.borrowed(second, { bookInfoId });
  const types = [
    ...[
      'book-info.created',
      'copies.added',
      'borrow.created',
      'hold.placed',
      'hold.placed',
      'borrow.returned',
      'hold.ready',
      'copies.changed',
      'hold.requeued',
    ],
    ...[
      'copies.changed',
      'hold.ready',
      'hold.cancelled',
      'hold.ready',
      'borrow.created',
      'hold.fulfilled',
    ],
  ];
  return [[`book-info:${bookInfoId}`, types.map((type) => `lending.${type}`)]];
}

/** Rules for a category without readers, and a day in the past. Other tests may remove them. */
async function policiesTour(library: Library): Promise<[string, string[]][]> {
  const put = (rules: readonly object[]) => library.manage('put', '/api/loan-rules', { rules });
  succeeded(await put([{ category: uniqueWord(), kind: '*' }]), 200);
  succeeded(await put([]), 200);
  succeeded(await put([]), 200);
  const close = (closedDates: readonly string[]) =>
    library.manage('put', '/api/calendar', { timeZone: null, closedDates });
  succeeded(await close(['1999-01-01']), 200);
  succeeded(await close([]), 200);
  succeeded(await close([]), 200);
  return ['loan-rules', 'calendar'].map((policy) => {
    const changed = `lending.${policy}.changed`;
    return [policy, [changed, changed]];
  });
}

async function postsTour(board: Board): Promise<[string, string[]][]> {
  const [from, into] = [uniqueWord(), uniqueWord()];
  const { postId } = await board.posted({ tags: [from, into] });
  const call = (method: 'patch' | 'delete', body?: object) =>
    board.manage(method, `/posts/${postId}`, body);
  succeeded(await call('patch', { title: 'Another' }), 200);
  succeeded(await call('patch', { title: 'Another' }), 200);
  const tagId = (await board.tag(from))?.tagId;
  succeeded(await board.merge(from, into), 200);
  succeeded(await board.merge(from, into), 200);
  expectProblem(await board.merge(uniqueWord(), into), 404, 'TAG_NOT_FOUND');
  const [renamedTo, intoId] = [uniqueWord(), (await board.tag(into))?.tagId];
  succeeded(await board.rename(into, renamedTo), 200);
  succeeded(await board.rename(into, renamedTo), 200);
  succeeded(await board.deleteTag(renamedTo), 204);
  expectProblem(await board.deleteTag(renamedTo), 404, 'TAG_NOT_FOUND');
  succeeded(await call('delete'), 204);
  expectProblem(await call('delete'), 404, 'POST_NOT_FOUND');
  const types = ['post.created', 'post.updated', 'post.deleted'];
  return [
    [`post:${postId}`, types.map((type) => `posts.${type}`)],
    [`tag:${tagId}`, ['posts.tag.merged']],
    [`tag:${intoId}`, ['posts.tag.renamed', 'posts.tag.deleted']],
  ];
}

async function coursesTour(campus: Campus): Promise<[string, string[]][]> {
  const { courseId } = await campus.registered({ capacity: 1 });
  await campus.addedVideo(courseId);
  expectProblem(await campus.addVideo(courseId, { position: 9 }), 400, 'VALIDATION_FAILED', {
    errors: expect.any(Array),
  });
  const reader = await campus.knownReader();
  const { subscriptionId } = await campus.subscribed(reader, courseId);
  expectProblem(await campus.subscribe(reader, courseId), 409, 'ALREADY_SUBSCRIBED', {
    subscriptionId,
  });
  expectProblem(await campus.subscribe(await campus.knownReader(), courseId), 409, 'COURSE_FULL', {
    courseId,
  });
  await campus.cancelled(reader, courseId);
  expectProblem(await campus.cancel(reader, courseId), 404, 'SUBSCRIPTION_NOT_FOUND');
  await campus.subscribed(reader, courseId);
  await campus.completed(reader, courseId);
  await campus.completed(reader, courseId);
  const types = [
    'course.created',
    'video.added',
    'subscription.created',
    'subscription.cancelled',
    'subscription.created',
    'subscription.completed',
  ];
  return [
    [`course:${courseId}`, types.map((type) => `courses.${type}`)],
    await managedCourseTour(campus),
  ];
}

async function managedCourseTour(campus: Campus): Promise<[string, string[]]> {
  const { courseId } = await campus.registered({ capacity: 1 });
  const video = await campus.addedVideo(courseId);
  const path = `/courses/${courseId}/videos/${video.videoId}`;
  const rename = () => campus.manage('patch', path, { title: 'Renamed' });
  succeeded(await rename(), 200);
  succeeded(await rename(), 200);
  const [first, second, third] = [campus.newReader(), campus.newReader(), campus.newReader()];
  await campus.subscribed(first, courseId);
  succeeded(await campus.completion('put', first, video), 200);
  succeeded(await campus.completion('put', first, video), 200);
  await campus.joined(second, courseId);
  await campus.joined(third, courseId);
  expectProblem(await campus.join(third, courseId), 409, 'ALREADY_WAITING', { courseId });
  succeeded(await campus.leaveWaitlist(third, courseId), 204);
  await campus.cancelled(first, courseId);
  await campus.changedCourse(courseId, { status: 'archived' });
  await campus.changedCourse(courseId, { status: 'archived' });
  expectProblem(
    await campus.manage('delete', `/courses/${courseId}`),
    409,
    'COURSE_HAS_SUBSCRIBERS',
    {
      courseId,
    },
  );
  await campus.cancelled(second, courseId);
  succeeded(await campus.manage('delete', path), 204);
  succeeded(await campus.manage('delete', `/courses/${courseId}`), 204);
  const types = [
    ...['course.created', 'video.added', 'video.updated', 'subscription.created'],
    ...['progress.changed', 'waitlist.joined', 'waitlist.joined', 'waitlist.left'],
    ...['subscription.cancelled', 'waitlist.promoted', 'course.updated', 'subscription.cancelled'],
    ...['video.deleted', 'course.deleted'],
  ];
  return [`course:${courseId}`, types.map((type) => `courses.${type}`)];
}
