import { bulk, course, subscription, video, wait } from '../courses/schemas';
import { account, issuedReset, profile, user } from '../identity/schemas';
import { addedCopies, bookInfo, borrow, copy, hold } from '../lending/schemas';
import { post, tag } from '../posts/schemas';
import { problem } from '../openapi/problems';
import { id, instant, nullable, object, oneOf, text, type JsonSchema } from '../openapi/schema';

/** What clients see of a command, for the document. */

/** What commands come to. */
const results = [
  account,
  user,
  profile,
  issuedReset,
  bookInfo,
  addedCopies,
  copy,
  borrow,
  hold,
  post,
  tag,
  course,
  video,
  subscription,
  bulk,
  wait,
] as readonly JsonSchema[];

export interface CommandState {
  readonly commandId: string;
  readonly type: string;
  readonly status: 'queued' | 'succeeded' | 'failed';
  readonly httpStatus: number | null;
  readonly result: unknown;
  readonly problem: unknown;
  readonly createdAt: string;
  readonly completedAt: string | null;
}

export const commandState = object<CommandState>(
  'Command',
  {
    commandId: text,
    type: text,
    status: oneOf(['queued', 'succeeded', 'failed']),
    httpStatus: nullable(id),
    result: {
      anyOf: [...results, { type: 'null' }],
      description: 'What the waiting call would have got.',
    },
    problem: nullable<unknown>(problem),
    createdAt: instant,
    completedAt: nullable(instant),
  },
  {
    ...{
      commandId: 'lg7Jx3…',
      type: 'lending.borrow-book',
      status: 'queued',
      httpStatus: null,
      result: null,
      problem: null,
    },
    ...{ createdAt: '2026-03-02T10:00:00.000Z', completedAt: null },
  },
);
