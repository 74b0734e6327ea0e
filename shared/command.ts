/**
 * What travels between the API and the workers: a command on its way in, its outcome on the way
 * back.
 *
 * - command: a wish to change one aggregate, published once and carried out exactly once
 * - aggregate key: names the thing that changes (`book-info:42`); one partition holds all commands
 * of a key
 * - outcome: the final answer to a command, kept for a day so that it can be asked for again
 */

export type Role = 'user' | 'lecturer';

/** Who asks. `userId` is null when nobody is signed in. */
export interface Actor {
  readonly userId: number | null;
  readonly username: string | null;
  readonly role: Role;
  readonly isAdmin: boolean;
  /** The token came from a sign-in here, so that there is a row: none is made of the claims. */
  readonly isIssued?: true;
}

/** A command as it stands in a queue. `Payload` is given by the service's command map. */
export interface Envelope<Type extends string = string, Payload = unknown> {
  /** Format of the command, from 1, which is meant where it is absent. */
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
   * After this instant (milliseconds since 1970) nobody waits and no reply is sent; the command
   * still runs.
   */
  readonly replyBy: number;
  /** W3C trace context of the request, null when it brought none. */
  readonly traceparent: string | null;
  /** What the tracing systems on the way have added to it. */
  readonly tracestate?: string;
  /** The client's network address; with commands that are audited, and no others. */
  readonly address?: string;
}

/**
 * The payload of every command by its wire name. Each service declares its own as members of this
 * (`shared/<service>/commands.ts`), so that an endpoint cannot send what no service understands.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- services add to it
export interface CommandPayloads {}

export type CommandType = keyof CommandPayloads;

/** The union of a service's commands, made from its map of wire name to payload. */
export type CommandOf<Commands> = {
  [Type in keyof Commands & string]: Envelope<Type, Commands[Type]>;
}[keyof Commands & string];

/** A business "no": stable code, a sentence for people, and the ids of what stands in the way. */
export interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly ids?: Readonly<Record<string, number | readonly number[]>>;
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
   * Cache subjects of which a view from before the command may still be shown. Whoever tells a
   * client the outcome gives them new versions first (`api/commands/outcomes.ts`). Absent when
   * there are none, or when the worker has done it.
   */
  readonly stale?: readonly string[] | undefined;
  /**
   * When its batch was committed, milliseconds since 1970. In the reply of the worker that did it,
   * and nowhere else.
   */
  readonly committedAt?: number;
}

/**
 * How every id begins that is made at this instant, milliseconds since 1970: with six bytes, so
 * that ids are in the order of time.
 */
export const idTime = (instantMs: number): string => instantMs.toString(16).padStart(12, '0');

/**
 * How long outcomes are kept at least, and the ids of commands known: 24 hours, in milliseconds.
 */
export const OUTCOME_KEPT_MS = 24 * 3600 * 1000;

/**
 * How old an idempotency key's last renewal must be until a request renews it, milliseconds: an
 * hour.
 */
export const KEY_RENEWED_AFTER_MS = 3600 * 1000;
/**
 * How long idempotency keys are kept from their last renewal on: so long that each request with one
 * is followed by 24 hours at least, in milliseconds.
 */
export const KEY_KEPT_MS = OUTCOME_KEPT_MS + KEY_RENEWED_AFTER_MS;

/** Refusal code of a command that could not be carried out and became a dead letter. */
export const COMMAND_FAILED = 'COMMAND_FAILED';
