import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { Now } from '../../shared/database/clock';
import type { Endpoint, Input, StreamEndpoint } from '../http/endpoint';
import { Problem } from '../http/responses/problem';
import { arrayOf, instant, object, type JsonSchema, type Schema } from '../openapi/schema';
import type { ExportPart } from './part';

/**
 * Everything that is kept about a person, as one JSON document that is read and sent piece by
 * piece.
 */

export interface ExportOptions {
  readonly parts: readonly ExportPart[];
  readonly account: {
    readonly schema: JsonSchema;
    /** Null when there is no such person. */
    readonly find: (userId: number) => Promise<object | null>;
  };
  readonly now: Now;
}

async function* documentOf(
  userId: number,
  account: object,
  { parts, now }: ExportOptions,
): AsyncGenerator<string> {
  yield `{"exportedAt":${JSON.stringify(now())},"account":${JSON.stringify(account)}`;
  for (const { name, rows } of parts) {
    yield `,${JSON.stringify(name)}:[`;
    let separator = '';
    for await (const row of rows(userId)) {
      yield separator + JSON.stringify(row);
      separator = ',';
    }
    yield ']';
  }
  yield '}';
}

async function send(userId: number, response: Response, options: ExportOptions): Promise<void> {
  const account = await options.account.find(userId);
  if (!account) throw new Problem('USER_NOT_FOUND', `There is no user ${userId}.`);
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Disposition': `attachment; filename="lendline-user-${userId}.json"`,
    'Cache-Control': 'no-store',
  });
  // A HEAD request asks for the headers alone.
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  try {
    await pipeline(Readable.from(documentOf(userId, account, options)), response);
  } catch (error) {
    // The client has gone. Whatever else fails ends the connection, so that the file does not look
    // complete.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

function schemaOf({ parts, account }: ExportOptions): JsonSchema {
  const lists = parts.map(({ name, schema }) => [name, arrayOf(schema as Schema<object>)] as const);
  return object<object>('PersonExport', {
    exportedAt: instant,
    account: account.schema,
    ...Object.fromEntries(lists),
  });
}

export function exportEndpoints(options: ExportOptions): Endpoint[] {
  const answers = { 200: { description: 'All of it, as a file.', schema: schemaOf(options) } };
  const what =
    'Everything that is kept about the person, grouped by kind. Commands are kept for a day.';
  const shared = { method: 'get', kind: 'stream' } as const satisfies Partial<StreamEndpoint>;
  return [
    {
      ...shared,
      path: '/api/users/me/export',
      who: 'user',
      doc: {
        id: 'exportMe',
        tag: 'Accounts',
        summary: 'Export your own data',
        description: what,
        answers,
        problems: ['USER_NOT_FOUND'],
      },
      stream: ({ actor }: Input, _request, response) =>
        send(actor.userId as number, response, options),
    },
    {
      ...shared,
      path: '/api/users/:userId/export',
      who: 'admin',
      doc: {
        id: 'exportUser',
        tag: 'Accounts',
        summary: 'Export the data of a person',
        description: what,
        answers,
        problems: ['USER_NOT_FOUND'],
      },
      stream: ({ params }: Input, _request, response) =>
        send(params['userId'] as number, response, options),
    },
  ];
}
