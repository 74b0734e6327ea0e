import type { ObjectSchema } from 'joi';
import type { KnownCode } from '../http/responses/problem-kinds';
import { page, text, type JsonSchema } from './schema';

/** What an endpoint adds to the document beyond its other members. */

/** Groups of endpoints, as readers look for them. */
export type Tag =
  | 'Accounts'
  | 'Titles'
  | 'Borrows'
  | 'Holds'
  | 'Posts'
  | 'Courses'
  | 'Webhooks'
  | 'Commands'
  | 'Console'
  | 'Service';

/** Headers that an answer bears beside those that every answer of its status has. */
export type AnswerHeader = 'ETag' | 'Link' | 'Location' | 'Preference-Applied' | 'X-Total-Count';

/** One way to answer. Without a schema there is no body. */
export interface AnswerDoc {
  readonly description: string;
  readonly schema?: JsonSchema;
  /** Media type of the body, JSON unless said otherwise. */
  readonly type?: string;
  /** Bodies of other media types that the request may ask for. */
  readonly alternatives?: Readonly<Record<string, JsonSchema>>;
  readonly headers?: readonly AnswerHeader[];
}

export interface EndpointDoc {
  /** The operation's id: unique, and what generated clients call it. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /**
   * The final answers below 400, by status. That a write may be promised (202) goes without saying.
   */
  readonly answers: Readonly<Record<number, AnswerDoc>>;
  /** Problems that do not follow from the checks which all endpoints share. */
  readonly problems?: readonly KnownCode[];
  /** Path parameters that are no ids. */
  readonly params?: Readonly<Record<string, JsonSchema>>;
  /** Rules of the query that the endpoint itself applies. */
  readonly query?: ObjectSchema;
  /** It compares the version that `If-Match` names. */
  readonly ifMatch?: true;
  /** It is resumed by `Last-Event-ID`. */
  readonly lastEventId?: true;
  /** A body. */
  readonly example?: object;
}

const NOT_MODIFIED = {
  description: 'The version in `If-None-Match` is still current.',
  headers: ['ETag'],
} as const satisfies AnswerDoc;

export const noContent = (description: string): EndpointDoc['answers'] => ({
  204: { description },
});

export const created = (schema: JsonSchema, { located = true } = {}): EndpointDoc['answers'] => ({
  201: { description: 'Made.', schema, ...(located && { headers: ['Location'] as const }) },
});

export const shown = (schema: JsonSchema): EndpointDoc['answers'] => ({
  200: { description: 'The present state.', schema },
});

/** Returns the answer with one changed thing, and its new ETag. */
export const changed = (schema: JsonSchema): EndpointDoc['answers'] => ({
  200: { description: 'The present state.', schema, headers: ['ETag'] },
});

/** Returns the answer with one thing that has an ETag. */
export const tagged = (schema: JsonSchema): EndpointDoc['answers'] => ({
  200: { description: 'The present state.', schema, headers: ['ETag'] },
  304: NOT_MODIFIED,
});

/** Every list is also had as CSV, all of its pages in one (`csv-list.ts`). */
export const AS_CSV = { 'text/csv': text };

/** Returns the answer with a page of things. `list` replaces the schema of the body. */
export const listed = (
  items: JsonSchema,
  list: JsonSchema = page(items),
): EndpointDoc['answers'] => ({
  200: {
    description: 'A page.',
    schema: list,
    alternatives: AS_CSV,
    headers: ['X-Total-Count', 'Link'],
  },
});

/** Returns the answer with a page that has an ETag. */
export const taggedList = (items: JsonSchema): EndpointDoc['answers'] => ({
  200: {
    description: 'A page.',
    schema: page(items),
    alternatives: AS_CSV,
    headers: ['X-Total-Count', 'Link', 'ETag'],
  },
  304: { ...NOT_MODIFIED, headers: ['X-Total-Count', 'Link', 'ETag'] },
});
