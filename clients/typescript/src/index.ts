import { Caller } from './caller.ts';
import * as resources from './resources.ts';
import type { Token } from './transport.ts';

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

  /** Returns the same client for another user. */
  withToken(token: Token): Lendline {
    return new Lendline({ ...this.options, token });
  }
}

export { NoAnswer, StreamReplaced, Unfinished } from './errors.ts';
export type { EventsOptions } from './events.ts';
export { Refusal } from './refusal.ts';
export type { CallOptions, ClientOptions } from './requests.ts';
export { valueOf } from './result.ts';
export type { StreamMessage, StreamOptions } from './stream.ts';
export type { Fetch, Method, Token } from './transport.ts';
export type { DomainEvent, PathsWith, Problem, RequestOptions, Result, Schemas } from './types.ts';
