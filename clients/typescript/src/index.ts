import { Caller } from './caller.js';
import * as resources from './resources.js';
import type { Token } from './transport.js';

/** A client of the Lendline API. */
export class Lendline extends Caller {
  readonly accounts = resources.accounts(this);
  readonly users = resources.users(this);
  readonly books = resources.books(this);
  readonly copies = resources.copies(this);
  readonly borrows = resources.borrows(this);
  readonly returns = resources.returns(this);
  readonly holds = resources.holds(this);
  readonly posts = resources.posts(this);
  readonly tags = resources.tags(this);
  readonly courses = resources.courses(this);
  readonly videos = resources.videos(this);
  readonly subscriptions = resources.subscriptions(this);
  readonly notices = resources.notices(this);

  /** The same client for another user. */
  withToken(token: Token): Lendline {
    return new Lendline({ ...this.options, token });
  }
}

export type { ClientOptions } from './caller.js';
export { NoAnswer, Refusal, StreamReplaced, Unfinished } from './errors.js';
export type { EventsOptions } from './events.js';
export { valueOf } from './result.js';
export type { StreamMessage, StreamOptions } from './stream.js';
export type { Token } from './transport.js';
export type {
  CallOptions,
  DomainEvent,
  Method,
  PathsWith,
  Problem,
  RequestOptions,
  Result,
  Schemas,
} from './types.js';
