import type { components, paths } from './generated/api.js';
import type { CallOptions } from './requests.ts';
import type { Method } from './transport.ts';

/** The types of every operation, read off the OpenAPI document. */

/** Every schema of the document by its name, such as `Schemas['Borrow']`. */
export type Schemas = components['schemas'];
/** Why a request was refused: RFC 9457. `code` is stable, `detail` is a sentence for people. */
export type Problem = Schemas['Problem'];
/** A domain event: CloudEvents 1.0. */
export type DomainEvent = Schemas['CloudEvent'];

type Described = { readonly responses: object };

/** The paths that take a method. */
export type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P][Lowercase<M>] extends Described ? P : never;
}[keyof paths];

/** The operation of a method and a path. */
export type Operation<M extends Method, P extends PathsWith<M>> = paths[P][Lowercase<M>];

type Body<Response> = Response extends { content: { 'application/json': infer Value } }
  ? Value
  : Response extends { content: object }
    ? string
    : undefined;
/** A 204 for `Prefer: return=minimal` is left out, because the client never asks for it. */
type Final<R> = Extract<keyof R, 200 | 201> extends never ? 204 : 200 | 201;

/** The body of the final answer of an operation. */
export type ValueOf<O> = O extends { responses: infer R }
  ? { [Status in keyof R & Final<R>]: Body<R[Status]> }[keyof R & Final<R>]
  : never;

/** The problems in which an operation may end. */
export type ProblemOf<O> = O extends { responses: infer R }
  ? {
      [Status in keyof R]: R[Status] extends { content: { 'application/problem+json': infer P } }
        ? P
        : never;
    }[keyof R]
  : never;

/** What a list is a list of. */
export type ItemOf<Value> = Value extends { items: readonly (infer Item)[] }
  ? Item
  : Value extends readonly (infer Item)[]
    ? Item
    : never;

export type QueryOf<M extends Method, P extends PathsWith<M>> =
  Operation<M, P> extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never;

/** The paths that answer GET with a list in pages. */
export type ListPath = {
  [P in PathsWith<'GET'>]: 'page' extends keyof QueryOf<'GET', P> ? P : never;
}[PathsWith<'GET'>];
export type BodyOf<M extends Method, P extends PathsWith<M>> =
  Operation<M, P> extends { requestBody?: { content: { 'application/json': infer Value } } }
    ? Value
    : never;

type PathPart<O> = O extends { parameters: { path: infer Path } } ? { path: Path } : unknown;
type QueryPart<O> = O extends { parameters: { query: infer Query } }
  ? { query: Query }
  : O extends { parameters: { query?: infer Query } }
    ? { query?: Query | undefined }
    : unknown;
type BodyPart<O> = O extends { requestBody: { content: { 'application/json': infer Value } } }
  ? { body: Value }
  : O extends { requestBody?: { content: { 'application/json': infer Value } } }
    ? { body?: Value | undefined }
    : unknown;

/** What a request of an operation takes: `path`, `query` and `body` as the operation has them. */
export type RequestOptions<O> = CallOptions & PathPart<O> & QueryPart<O> & BodyPart<O>;

/** The final answer of an operation, or why it was refused. */
export type Result<Value, P = Problem> =
  | {
      readonly ok: true;
      readonly value: Value;
      readonly status: number;
      readonly headers: Headers;
    }
  | { readonly ok: false; readonly problem: P; readonly status: number; readonly headers: Headers };
