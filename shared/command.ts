/**
 * What travels between the API and the workers: a command on its way in, its outcome on the way
 * back.
 *
 * - command: a request to change one aggregate, published once and carried out exactly once
 * - aggregate key: names the thing that changes (`book-info:42`); one partition holds all commands
 *   of a key
 * - outcome: the final answer to a command, kept for a day so that clients can ask for it again
 */

export type Role = 'user' | 'lecturer';

/** The sender of a command. `userId` is null when nobody is signed in. */
export interface Actor {
  readonly userId: number | null;
  readonly username: string | null;
  readonly role: Role;
  readonly isAdmin: boolean;
  /** The token came from a sign-in here, so its user has a row and none is made from the claims. */
  readonly isIssued?: true;
}

/** A command as it stands in a queue. `Payload` comes from the service's command map. */
export interface Envelope<Type extends string = string, Payload = unknown> {
  /** Format of the command. Absent means 1. */
  readonly version?: number;
  readonly commandId: string;
  /** Wire name, `<service>.<imperative>`, for example `lending.borrow-book`. */
  readonly type: Type;
  /** Aggregate key; decides the partition. */
  readonly key: string;
  readonly actor: Actor;
  readonly payload: Payload;
  /** The request that brought the command; it is echoed in a problem, also days later. */
  readonly requestId: string;
  /** When the API accepted it, milliseconds since 1970. */
  readonly createdAt: number;
  /** Address of the API instance that waits for the answer. */
  readonly replyTo: string;
  /**
   * After this instant (milliseconds since 1970) the client no longer waits, and no reply is sent.
   * The command still runs.
   */
  readonly replyBy: number;
  /** W3C trace context of the request, or null. */
  readonly traceparent: string | null;
  /** What tracing systems on the way have added to it. */
  readonly tracestate?: string;
  /** The client's network address. Only audited commands have it. */
  readonly address?: string;
}

/**
 * The payload of every command by its wire name. Each service declares its own as members of this
 * (`shared/<service>/commands.ts`), so that an endpoint cannot send what no service understands.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- services add to it
export interface CommandPayloads {}

export type CommandType = keyof CommandPayloads;

/** The codes of the refusals of each service, by its name. Each service adds its own. */
// oxlint-disable-next-line typescript/no-empty-object-type -- services add to it
export interface ServiceRefusals {}
export type ServiceRefusal = ServiceRefusals[keyof ServiceRefusals];

/** The union of a service's commands, made from its map of wire name to payload. */
export type CommandOf<Commands> = {
  [Type in keyof Commands & string]: Envelope<Type, Commands[Type]>;
}[keyof Commands & string];

/** What may stand in the way of a write. Problems have a member for each. */
export const REFUSAL_IDS = [
  'bookInfoId',
  'bookId',
  'borrowId',
  'holdId',
  'courseId',
  'subscriptionId',
  'tagId',
] as const;

/** A business "no": stable code, a sentence for people, and the ids of what stands in the way. */
export interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly ids?: Readonly<
    Partial<Record<(typeof REFUSAL_IDS)[number], number> & { borrowIds: readonly number[] }>
  >;
}

/** How a command ended. */
export type Ending =
  /**
   * `created`: a new thing was made. `result` is the JSON text of what the client gets, null for
   * nothing.
   */
  | { readonly status: 'succeeded'; readonly created: boolean; readonly result: string | null }
  | { readonly status: 'failed'; readonly refusal: Refusal };

/** The stored answer to a command. */
export interface Outcome {
  readonly commandId: string;
  readonly type: string;
  /** The user who sent the command, null when nobody was signed in. */
  readonly ownerId: number | null;
  readonly requestId: string;
  readonly createdAt: number;
  readonly completedAt: number;
  readonly ending: Ending;
  /**
   * Cache subjects whose views may still be from before the command. The API gives them new
   * versions before it answers (`api/commands/outcomes.ts`). Absent when there are none, or when
   * the worker has done so.
   */
  readonly stale?: readonly string[] | undefined;
  /**
   * When its batch was committed, milliseconds since 1970. Only the reply of the worker that
   * committed it has this.
   */
  readonly committedAt?: number;
}

/**
 * Returns the first twelve characters of every id made at this instant, milliseconds since 1970.
 * Ids therefore sort by time.
 */
export const idTime = (instantMs: number): string => instantMs.toString(16).padStart(12, '0');

/**
 * How long outcomes are kept, and the ids of commands are known, at least: 24 hours, in
 * milliseconds.
 */
export const OUTCOME_KEPT_MS = 24 * 3600 * 1000;

/**
 * A request renews an idempotency key when the last renewal is older than this: an hour, in
 * milliseconds.
 */
export const KEY_RENEWED_AFTER_MS = 3600 * 1000;
/**
 * How long an idempotency key is kept after its last renewal, milliseconds. After each request that
 * uses it, it is kept for at least 24 hours more.
 */
export const KEY_KEPT_MS = OUTCOME_KEPT_MS + KEY_RENEWED_AFTER_MS;

/** Refusal code of a command that could not be carried out and became a dead letter. */
export const COMMAND_FAILED = 'COMMAND_FAILED';
