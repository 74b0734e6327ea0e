import { problem } from '../openapi/problems';
import {
  id,
  instant,
  nullable,
  object,
  oneOf,
  text,
  type JsonSchema,
  type Schema,
} from '../openapi/schema';

/** What clients see of a command, for the document. */

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

/** `results`: the schemas of results. */
export const commandState = (results: readonly JsonSchema[]): Schema<CommandState> =>
  object<CommandState>(
    'Command',
    {
      commandId: text,
      type: text,
      status: oneOf(['queued', 'succeeded', 'failed']),
      httpStatus: nullable(id),
      result: {
        anyOf: [...results, { type: 'null' }],
        description: 'The answer that the waiting call would have got.',
      },
      problem: nullable<unknown>(problem),
      createdAt: instant,
      completedAt: nullable(instant),
    },
    {
      ...{
        commandId: '01a2101d07ee…',
        type: 'lending.borrow-book',
        status: 'queued',
        httpStatus: null,
        result: null,
        problem: null,
      },
      ...{ createdAt: '2026-03-02T10:00:00.000Z', completedAt: null },
    },
  );
