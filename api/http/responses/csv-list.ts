import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import type { Request, Response } from 'express';
import type { JsonSchema } from '../../openapi/schema';
import type { Answer, DocumentedRoute } from '../endpoint';
import { Problem } from './problem';

/**
 * Lists as CSV (RFC 4180): the rows of all pages, streamed page by page, for whoever asks with
 * `Accept: text/csv`. A member of a member is a column such as `lecturer.userId`; several values
 * are separated by a comma and a space.
 */

/** Items that are read at a time. */
const PAGE_SIZE = 100;
/** Most such lists that one process writes at a time; more are refused. */
const LISTS_MAX = 4;

type Row = Readonly<Record<string, unknown>>;

const schemaOf = ({ doc }: DocumentedRoute): JsonSchema => {
  const { schema = {} } = doc.answers[200] ?? {};
  return (schema['items'] ?? schema.properties?.['items']?.['items'] ?? {}) as JsonSchema;
};

type ListHeader = 'X-Total-Count' | 'Link';

const answersWith = ({ doc }: DocumentedRoute, header: ListHeader): boolean =>
  doc.answers[200]?.headers?.includes(header) ?? false;

const isList = (route: DocumentedRoute): boolean => answersWith(route, 'X-Total-Count');
/** Whether a list has pages; the others come whole. */
const hasPages = (route: DocumentedRoute): boolean => answersWith(route, 'Link');

/** Whether a list is wanted as CSV. Caches must keep the two forms apart. */
export function wantsCsv(route: DocumentedRoute, request: Request, response: Response): boolean {
  if (!isList(route)) return false;
  response.vary('Accept');
  return request.accepts(['json', 'csv']) === 'csv';
}

/** The names of columns: those of members that have members of their own are joined by a dot. */
function columnsOf({ properties = {} }: JsonSchema): string[] {
  return Object.entries(properties).flatMap(([name, schema]) =>
    schema.properties ? columnsOf(schema).map((inner) => `${name}.${inner}`) : [name],
  );
}

function valueAt(row: Row, column: string): unknown {
  const value = column
    .split('.')
    .reduce<unknown>((part, name) => (part as Row | null | undefined)?.[name], row);
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The same request for the first page, in pages of `PAGE_SIZE`. */
function firstPageOf(url: string): string {
  const [path = '', query = ''] = url.split('?', 2);
  const others = query.split('&').filter((part) => part && !/^(page|size|after)(=|$)/.test(part));
  return `${path}?${[...others, 'page=1', `size=${PAGE_SIZE}`].join('&')}`;
}

const nextPageOf = ({ headers = {} }: Answer): string | undefined =>
  /<([^>]*)>; rel="next"/.exec(headers['Link'] ?? '')?.[1];

function itemsOf({ body, json }: Answer): readonly Row[] {
  const list = (json === undefined ? body : JSON.parse(json)) as
    | readonly Row[]
    | { readonly items: readonly Row[] };
  return 'items' in list ? list.items : list;
}

/** The tag of a page is none of the whole list. */
const withoutTag = (headers: Answer['headers'] = {}): Answer['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'ETag'));

/** Sends lists as CSV, so many at a time. */
export class CsvLists {
  private running = 0;

  /**
   * `pageAt` reads the page that a URL names.
   * @throws Problem UNAVAILABLE when too many are being written; what the first page throws.
   */
  async send(
    route: DocumentedRoute,
    response: Response,
    pageAt: (url: string) => Promise<Answer>,
  ): Promise<void> {
    if (this.running >= LISTS_MAX)
      throw new Problem(
        'UNAVAILABLE',
        `This process is writing ${LISTS_MAX} lists as CSV. Try again later.`,
      );
    this.running += 1;
    try {
      await write(route, response, pageAt);
    } finally {
      this.running -= 1;
    }
  }
}

async function write(
  route: DocumentedRoute,
  response: Response,
  pageAt: (url: string) => Promise<Answer>,
): Promise<void> {
  const columns = columnsOf(schemaOf(route));
  const { originalUrl } = response.req;
  const first = await pageAt(hasPages(route) ? firstPageOf(originalUrl) : originalUrl);
  response.writeHead(200, {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Cache-Control': 'no-store',
    ...withoutTag(first.headers),
  });
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  async function* rows(): AsyncGenerator<unknown[]> {
    for (let page = first; ;) {
      for (const row of itemsOf(page)) yield columns.map((column) => valueAt(row, column));
      const next = nextPageOf(page);
      if (next === undefined || itemsOf(page).length === 0) return;
      page = await pageAt(next);
    }
  }
  const lines = stringify({
    ...{ header: true, columns, record_delimiter: 'windows' },
    // A spreadsheet must not take a text for a formula.
    escape_formulas: true,
    cast: { boolean: String },
  });
  await pipeline(Readable.from(rows()), lines, response).catch((error: unknown) => {
    // A client that has gone is no fault; what is broken off is seen as such by the client.
    if (!response.req.destroyed) throw error;
  });
}
