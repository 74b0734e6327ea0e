import type { Request, Response } from 'express';
import type { ObjectSchema } from 'joi';
import type { Actor, CommandPayloads, CommandType } from '../../shared/command';
import type { EndpointDoc } from '../openapi/doc';
import type { TokenFacts } from './request-context';

/**
 * An endpoint as data: who may call it and what it takes. `mount.ts` makes routes of these and runs
 * every check in the contract's order, so that no endpoint can forget one: route 404/405, 401, 403
 * by role, 415/400, then the function.
 */
interface EndpointBase {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /**
   * Express path. A parameter named `...Id` must be an id, else 400 INVALID_ID; it reaches the
   * input as a number.
   */
  readonly path: string;
  /**
   * - `public`: a token is optional, but a bad one is 401 all the same
   * - `self`: the user whom the path names as `userId`
   * - an administrator may do what a `lecturer` or `self` may
   */
  readonly who: 'public' | 'user' | 'self' | 'lecturer' | 'admin';
  /**
   * Rules of the query string; without them any parameter is 400. Values arrive as strings, or as
   * arrays when repeated.
   */
  readonly query?: ObjectSchema;
  /**
   * Rules of the JSON body; without them a write refuses any field, and a read ignores the body.
   */
  readonly body?: ObjectSchema;
  /** Whether it is counted among sign-ins where requests are limited; else as a read or a write. */
  readonly signsIn?: boolean;
  /** Whether somebody may call it who has to change the first password. */
  readonly withFirstPassword?: boolean;
  /** What the OpenAPI document says beyond the above. */
  readonly doc: EndpointDoc;
}

/**
 * Whatever the OpenAPI document tells of. What is `bare` is no endpoint and runs none of the
 * checks.
 */
export type DocumentedRoute = EndpointBase & { readonly kind: Endpoint['kind'] | 'bare' };

/** Whether it sends commands, and takes the headers that are about them. */
export const sendsCommands = ({ kind }: Pick<DocumentedRoute, 'kind'>): boolean =>
  kind === 'write' || kind === 'bulk';

/** Whether somebody may call it who has to change the first password. */
export const allowsFirstPassword = ({
  who,
  kind,
  signsIn = false,
  withFirstPassword = false,
}: DocumentedRoute): boolean =>
  withFirstPassword || (who === 'public' && (kind !== 'write' || signsIn));

/** A request after all checks. `Body` and `Query` are what the endpoint's schemas make. */
export interface Input<Body = unknown, Query = unknown> {
  readonly params: Readonly<Record<string, number>> & Readonly<Record<string, unknown>>;
  readonly query: Query;
  readonly body: Body;
  /** Query and body as they were sent, before any rule. */
  readonly sent: readonly [query: unknown, body: unknown];
  /** `userId` is null when nobody is signed in, which only a `public` endpoint sees. */
  readonly actor: Actor;
  /** The token that it brought; null when nobody is signed in. */
  readonly token: TokenFacts | null;
  readonly requestId: string;
  /** Path and query as the client wrote them, not decoded. */
  readonly url: string;
  /** The client's network address; behind proxies what `trust proxy` makes of it. */
  readonly address: string;
  /** A request header, by lower-case name. */
  header(name: string): string | undefined;
}

/** `json` is text that is sent as it is: JSON already, unless the headers name another type. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly json?: string;
}

/** A command that an endpoint wants carried out. */
export type Draft = {
  [Type in CommandType]: {
    readonly type: Type;
    readonly key: string;
    readonly payload: CommandPayloads[Type];
  };
}[CommandType];

/** An endpoint that answers without a command: a read, or one of the few others (login). */
export interface ReadEndpoint extends EndpointBase {
  readonly kind: 'read';
  handle(input: Input<never, never>): Promise<Answer> | Answer;
}

/** What a command came to. */
export type Result = Readonly<Record<string, unknown>>;

/** What shapes the final answer of a write. */
export type Shaping = Pick<WriteEndpoint, 'location' | 'etag' | 'decorate'>;

/** Becomes a command; the worker decides the answer. */
export interface WriteEndpoint extends EndpointBase {
  readonly kind: 'write';
  /**
   * Throws a problem for what is known to be wrong without the worker: 403 that depends on the
   * body, 404.
   */
  command(input: Input<never, never>): Promise<Draft> | Draft;
  /** `Location` of what the command made, from its result. */
  readonly location?: (result: Result) => string;
  /** ETag of what the command changed, from its result. */
  readonly etag?: (result: Result) => string;
  /**
   * Adds to the final 2xx answer what must never be stored, such as a token. `result` is the parsed
   * result.
   */
  readonly decorate?: (result: Record<string, unknown>) => Record<string, unknown>;
  /**
   * Throws a problem where a final answer must not be given again to a request that is sent again,
   * because what `decorate` would add counts no more.
   */
  readonly beforeRepeat?: (result: Result) => Promise<void>;
}

/** Becomes a command for each of its items; answered with what each came to. */
export interface BulkEndpoint extends EndpointBase {
  readonly kind: 'bulk';
  /** One for each item, in their order. What one throws is the answer to its item. */
  commands(input: Input<never, never>): readonly (() => Promise<Draft> | Draft)[];
}

/** Writes its own response, such as a stream of events. */
export interface StreamEndpoint extends EndpointBase {
  readonly kind: 'stream';
  stream(input: Input<never, never>, request: Request, response: Response): Promise<void>;
}

export type Endpoint = ReadEndpoint | WriteEndpoint | BulkEndpoint | StreamEndpoint;
