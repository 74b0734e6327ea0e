import type { ServiceRefusal } from '../../../shared/command';

/** The codes of all problems. No other file knows which HTTP status a code has. */

/** `advice`: what to do, where the status does not say enough. */
type Kind = readonly [status: number, title: string, advice?: string];

/** What to do about a problem with this status. */
const ADVICE: Readonly<Record<number, string>> = {
  400: 'Correct what `errors` names, and send the request again.',
  401: 'Sign in, and send the token as `Authorization: Bearer <token>`.',
  403: 'Ask an administrator, or sign in as somebody who may do this.',
  404: 'Check the id or the path. What it names may have been deleted.',
  405: 'Use one of the methods that `Allow` names.',
  408: 'Send the request again over a faster connection.',
  409: 'Nothing was changed. Read `detail` and the ids beside it, and decide what you want instead.',
  410: 'Read what you depend on again, and continue from there.',
  412: 'Read it again, and decide whether your change still makes sense.',
  413: 'Send less at a time.',
  415: 'Send the body as `application/json` in UTF-8.',
  422: 'Read `detail`, and send another request.',
  429: 'Wait as many seconds as `Retry-After` says, and send the request again.',
  431: 'Send fewer or shorter headers.',
  500: 'Report it to the operator with its `requestId`.',
  503: 'Send the same request again after `Retry-After`, with the same `Idempotency-Key`.',
};

/** A refusal of a service that is missing here does not compile. */
const kinds = {
  VALIDATION_FAILED: [400, 'The request is not valid'],
  MALFORMED_REQUEST: [400, 'The request is not HTTP'],
  MALFORMED_JSON: [400, 'The body is not JSON'],
  INVALID_ID: [400, 'The id is not valid'],
  READ_ONLY_FIELD: [400, 'The field is read-only'],
  INVALID_ISBN: [400, 'The ISBN is not valid'],
  TAGS_REQUIRED: [400, 'A tag is required'],
  LECTURER_REQUIRED: [400, 'A lecturer is required'],
  UNAUTHENTICATED: [401, 'A token is required'],
  TOKEN_INVALID: [401, 'The token is not valid'],
  TOKEN_EXPIRED: [401, 'The token has expired'],
  TOKEN_REVOKED: [401, 'The token is no longer valid'],
  PASSWORD_CHANGE_REQUIRED: [403, 'The first password must be changed'],
  INVALID_CREDENTIALS: [401, 'Wrong username or password'],
  FORBIDDEN: [403, 'Not allowed'],
  ROUTE_NOT_FOUND: [404, 'No such path'],
  BOOK_INFO_NOT_FOUND: [404, 'No such title'],
  BOOK_NOT_FOUND: [404, 'No such copy'],
  BORROW_NOT_FOUND: [404, 'No such borrow'],
  HOLD_NOT_FOUND: [404, 'No such hold'],
  POST_NOT_FOUND: [404, 'No such post'],
  TAG_NOT_FOUND: [404, 'No such tag'],
  COURSE_NOT_FOUND: [404, 'No such course'],
  VIDEO_NOT_FOUND: [404, 'No such video'],
  SUBSCRIPTION_NOT_FOUND: [404, 'No such subscription'],
  WAITLIST_ENTRY_NOT_FOUND: [404, 'Not on the waitlist'],
  USER_NOT_FOUND: [404, 'No such user'],
  WEBHOOK_NOT_FOUND: [404, 'No such webhook'],
  WORKER_NOT_FOUND: [404, 'No such worker'],
  NOTICE_NOT_FOUND: [404, 'No such notice'],
  COMMAND_NOT_FOUND: [404, 'No such command'],
  DEAD_LETTER_NOT_FOUND: [404, 'No such dead letter'],
  METHOD_NOT_ALLOWED: [405, 'The path does not accept this method'],
  EVENT_NOT_KEPT: [410, 'The event is not kept'],
  REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
  PAYLOAD_TOO_LARGE: [413, 'The body is too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The body must be JSON'],
  RESET_TOKEN_INVALID: [401, 'The password reset is not valid'],
  USERNAME_TAKEN: [409, 'The username is taken'],
  ISBN_ALREADY_REGISTERED: [409, 'The ISBN is already registered'],
  BOOK_INFO_ON_LOAN: [409, 'A copy of the title is on loan'],
  TAG_TAKEN: [409, 'Another tag has the name'],
  COPY_ON_LOAN: [409, 'The copy is on loan'],
  BARCODE_TAKEN: [409, 'The barcode is on another copy'],
  COPY_ON_HOLD: [409, 'The copy is set aside'],
  ALREADY_BORROWED: [409, 'You have already borrowed this title'],
  OUT_OF_STOCK: [409, 'No copy is available', 'Place a hold to wait for a copy.'],
  COPY_NOT_AVAILABLE: [409, 'The copy is not available'],
  LOAN_LIMIT_REACHED: [409, 'Too many open borrows'],
  ALREADY_RETURNED: [409, 'The borrow is already closed'],
  RENEWAL_LIMIT_REACHED: [409, 'The borrow cannot be renewed again'],
  HELD_BY_OTHERS: [409, 'Other readers wait for the title'],
  ALREADY_HELD: [409, 'You already have a hold on this title'],
  STOCK_AVAILABLE: [409, 'A copy is available', 'Borrow it. There is nothing to wait for.'],
  HOLD_LINE_FULL: [409, 'Too many readers wait for the title'],
  HOLD_LIMIT_REACHED: [409, 'Too many open holds'],
  OVERDUE_BLOCKED: [409, 'A loan is overdue'],
  ALREADY_SUBSCRIBED: [409, 'Already subscribed'],
  COURSE_FULL: [409, 'The course is full', 'Join the waitlist of the course.'],
  SUBSCRIPTION_COMPLETED: [409, 'The subscription is completed'],
  COURSE_CLOSED: [409, 'The course takes no subscriptions'],
  COURSE_HAS_SUBSCRIBERS: [409, 'The course has subscribers'],
  CAPACITY_BELOW_SUBSCRIBERS: [409, 'The course has more subscribers'],
  SEATS_AVAILABLE: [409, 'The course has free seats', 'Subscribe. There is nothing to wait for.'],
  ALREADY_WAITING: [409, 'Already on the waitlist'],
  WAITLIST_FULL: [409, 'Too many users wait for the course'],
  LAST_ADMINISTRATOR: [409, 'One administrator must remain'],
  USER_HAS_LOANS: [409, 'The user has books on loan'],
  WEBHOOK_LIMIT_REACHED: [409, 'Too many webhooks'],
  WEBHOOK_DISABLED: [409, 'The webhook is disabled'],
  LAST_SERVING_WORKER: [
    409,
    'One worker must serve',
    'Start another worker, and drain this one then.',
  ],
  RESIZE_UNDER_WAY: [409, 'The number of partitions is being changed'],
  PARTITIONS_FIXED: [409, 'The number of partitions cannot be changed'],
  DEAD_LETTER_RELEASED: [409, 'The dead letter is being replayed'],
  DEAD_LETTER_UNREADABLE: [409, 'The dead letter is not a command'],
  VERSION_MISMATCH: [412, 'Changed in the meantime'],
  IDEMPOTENCY_KEY_REUSED: [
    422,
    'The idempotency key belongs to another request',
    'Make a new `Idempotency-Key` for each request that means something new. Only a retry of the same request, with the same body, keeps its key. A key is known for 24 hours.',
  ],
  RATE_LIMITED: [429, 'Too many requests'],
  HEADERS_TOO_LARGE: [431, 'The headers are too large'],
  COMMAND_FAILED: [500, 'The command could not be carried out'],
  INTERNAL: [500, 'Internal error'],
  UNAVAILABLE: [
    503,
    'Unavailable',
    'The command was not accepted. Send the request again after `Retry-After`.',
  ],
  ACCEPTANCE_UNKNOWN: [503, 'The command may have been accepted'],
} as const satisfies Record<ServiceRefusal, Kind> & Record<string, Kind>;

export type KnownCode = keyof typeof kinds;

/**
 * A refusal of a newer worker may be unknown here during an upgrade: it is a business "no" all the
 * same.
 */
export function kindOf(code: string): Kind {
  return Object.hasOwn(kinds, code) ? kinds[code as KnownCode] : [409, 'Refused'];
}

export function statusOf(code: string): number {
  return kindOf(code)[0];
}

export const problemCodes = Object.keys(kinds) as readonly KnownCode[];

/** The `type` of a problem, and the path of the page that describes it. */
export const pathOf = (code: string): string => `/problems/${code}`;

export function adviceOf(code: KnownCode): string {
  const [status, , advice = ADVICE[status]]: Kind = kinds[code];
  if (advice === undefined) throw new Error(`nothing says what to do about ${code}`);
  return advice;
}
