import type { CoursesRefusal } from '../../shared/courses/commands';
import type { IdentityRefusal } from '../../shared/identity/commands';
import type { LendingRefusal } from '../../shared/lending/commands';
import type { PostsRefusal } from '../../shared/posts/commands';

/** The codes of all problems. No other file knows which HTTP status a code has. */

type Kind = readonly [status: number, title: string];

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
  COMMAND_NOT_FOUND: [404, 'No such command'],
  DEAD_LETTER_NOT_FOUND: [404, 'No such dead letter'],
  METHOD_NOT_ALLOWED: [405, 'The path does not accept this method'],
  EVENT_NOT_KEPT: [410, 'The event is not kept'],
  REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
  PAYLOAD_TOO_LARGE: [413, 'The body is too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The body must be JSON'],
  RESET_TOKEN_INVALID: [401, 'The password reset is not valid'],
  USERNAME_TAKEN: [409, 'The username is taken'],
  ISBN_ALREADY_REGISTERED: [409, 'The ISBN is registered already'],
  BOOK_INFO_ON_LOAN: [409, 'A copy of the title is on loan'],
  COPY_ON_LOAN: [409, 'The copy is on loan'],
  COPY_ON_HOLD: [409, 'The copy is set aside'],
  ALREADY_BORROWED: [409, 'You have borrowed this title already'],
  OUT_OF_STOCK: [409, 'No copy is available'],
  COPY_NOT_AVAILABLE: [409, 'The copy is not available'],
  LOAN_LIMIT_REACHED: [409, 'Too many open borrows'],
  ALREADY_RETURNED: [409, 'The borrow is closed already'],
  RENEWAL_LIMIT_REACHED: [409, 'The borrow cannot be renewed again'],
  HELD_BY_OTHERS: [409, 'Other readers wait for the title'],
  ALREADY_HELD: [409, 'You have a hold on this title already'],
  STOCK_AVAILABLE: [409, 'A copy is available'],
  HOLD_LINE_FULL: [409, 'Too many readers wait for the title'],
  ALREADY_SUBSCRIBED: [409, 'Already subscribed'],
  COURSE_FULL: [409, 'The course is full'],
  SUBSCRIPTION_COMPLETED: [409, 'The subscription is completed'],
  COURSE_CLOSED: [409, 'The course takes no subscriptions'],
  COURSE_HAS_SUBSCRIBERS: [409, 'The course has subscribers'],
  CAPACITY_BELOW_SUBSCRIBERS: [409, 'The course has more subscribers'],
  SEATS_AVAILABLE: [409, 'The course has free seats'],
  ALREADY_WAITING: [409, 'Already on the waitlist'],
  WAITLIST_FULL: [409, 'Too many users wait for the course'],
  LAST_ADMINISTRATOR: [409, 'One administrator must remain'],
  USER_HAS_LOANS: [409, 'The user has books on loan'],
  DEAD_LETTER_RELEASED: [409, 'The dead letter is being replayed'],
  DEAD_LETTER_UNREADABLE: [409, 'The dead letter is not a command'],
  VERSION_MISMATCH: [412, 'Changed in the meantime'],
  IDEMPOTENCY_KEY_REUSED: [422, 'The idempotency key belongs to another request'],
  RATE_LIMITED: [429, 'Too many requests'],
  HEADERS_TOO_LARGE: [431, 'The headers are too large'],
  COMMAND_FAILED: [500, 'The command could not be carried out'],
  INTERNAL: [500, 'Internal error'],
  UNAVAILABLE: [503, 'Unavailable'],
  ACCEPTANCE_UNKNOWN: [503, 'The command may have been accepted'],
} as const satisfies Record<
  LendingRefusal | IdentityRefusal | PostsRefusal | CoursesRefusal,
  Kind
> &
  Record<string, Kind>;

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
