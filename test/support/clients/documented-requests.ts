import { MATRIX, type Ask, type Row } from '../check/authorization-matrix';
import type { ApiDocument } from '../check/document/api-document';
import { draft7 } from '../check/document/draft-7';
import type { FoundOperation, Header, JsonSchema } from '../check/document/open-api';
import type { Target } from '../service/target';
import { DOCUMENTED, unknown, type Wish } from './documented-wishes';
import type { Transaction } from './dredd';
import { Service } from './requests';
import { CALLERS, Scene, type CallerName } from './scene';

/**
 * Requests that get the answers of the document: each operation as the authorization matrix asks
 * for it, with what its status takes.
 */

/** Which answer of which operation a transaction is about. */
export interface Wanted {
  readonly id: string;
  readonly found: FoundOperation;
  /** A status, or `default`. */
  readonly status: string;
  /** The media type of the answer, if it has a body. */
  readonly type: string;
}

const isAllowed = (told: Row['told'][number] | undefined): boolean =>
  told === 'done' || told === 404;

/** Returns who gets an answer with this status. */
function callerFor({ told }: Row, status: string): CallerName {
  const signedIn = CALLERS.slice(1);
  const toldTo = (caller: CallerName) => told[CALLERS.indexOf(caller)];
  if (status === '403') return signedIn.find((caller) => toldTo(caller) === 403) ?? 'user';
  if (status === '404' && isAllowed(toldTo('admin'))) return 'admin';
  return signedIn.find((caller) => toldTo(caller) === 'done') ?? 'admin';
}

export class DocumentedRequests {
  private readonly scene: Scene;
  private readonly service: Service;

  constructor(
    target: Target,
    private readonly document: ApiDocument,
  ) {
    this.scene = new Scene(target);
    this.service = new Service(target);
  }

  /** Makes the people. */
  async open(): Promise<void> {
    await this.scene.open();
  }

  wanted({ origin, request, expected }: Transaction): Wanted {
    const [template = ''] = origin.resourceName.split('{?');
    const method = request.method.toLowerCase();
    const found = this.document
      .operations()
      .find((one) => one.template === template && one.method === method);
    if (!found) throw new Error(`the document has no ${method} ${template}`);
    const type = expected.headers['Content-Type'] ?? '';
    const answer = found.operation.responses[expected.statusCode];
    const isOwn = type === '' || answer?.content?.[type] !== undefined;
    const status = isOwn ? expected.statusCode : 'default';
    return { id: found.operation.operationId, found, status, type };
  }

  /** Makes what a request is about, and returns what Dredd is to send and to expect. */
  async prepared(transaction: Transaction, wanted: Wanted): Promise<Partial<Transaction>> {
    const { id, found, status } = wanted;
    const row = MATRIX[id];
    if (!row) throw new Error(`the authorization matrix has no row for ${id}`);
    const caller = callerFor(row, status);
    const own = DOCUMENTED[`${id} ${status}`];
    const wish: Wish = own
      ? await own(this.scene, this.service)
      : await this.usual(row, caller, wanted);
    const token = wish.token ?? this.scene.tokenOf(caller) ?? '';
    const { params = {}, query = '', headers = {}, body } = wish;
    const fullPath = `${found.template.replace(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(String(params[name])),
    )}${query}`;
    const text =
      typeof body === 'object' ? JSON.stringify(body) : (body ?? transaction.request.body);
    const sent = found.operation.requestBody ? text : '';
    const authorization = { Authorization: `Bearer ${token}` };
    const more = await this.conditions(wanted, fullPath, authorization);
    const { Accept, 'Content-Type': contentType } = transaction.request.headers;
    return {
      fullPath,
      request: {
        method: transaction.request.method,
        headers: {
          ...(Accept && { Accept }),
          ...(sent && contentType && { 'Content-Type': contentType }),
          ...authorization,
          ...more,
          ...headers,
        },
        body: sent,
      },
      expected: this.expected(wanted, wish.status ?? status),
    };
  }

  /** Returns the request of the matrix, changed as its status takes it. */
  private async usual(row: Row, caller: CallerName, { found, status }: Wanted): Promise<Wish> {
    const ask: Ask = (await row.ask?.(this.scene, caller)) ?? {};
    const { operation, method } = found;
    const badToken = { ...ask, token: 'x', status: '401' };
    if (status === '400') return method === 'get' ? {} : { ...ask, body: { unknown: true } };
    if (status === '401') return badToken;
    if (status === '404') return { ...ask, params: unknown(ask.params) };
    if (status === '412') return { ...ask, headers: { 'If-Match': '"999999999"' } };
    // The answers under `default` are those of the checks that all operations have in common.
    if (status === 'default')
      return '401' in operation.responses ? { ...ask, body: '{', status: '400' } : badToken;
    return ask;
  }

  /** Returns the headers that make an answer one of this status. */
  private async conditions(
    { found, status }: Wanted,
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<Record<string, string>> {
    const { responses } = found.operation;
    if (status === '202') return { Prefer: 'respond-async' };
    if (status === '204' && ('200' in responses || '201' in responses))
      return { Prefer: 'return=minimal' };
    if (status !== '304') return {};
    const { etag } = (await this.service.call('get', path, { headers })).headers;
    return { 'If-None-Match': etag ?? '' };
  }

  /**
   * Dredd takes every header for required, and looks at no schema of OpenAPI 3. So it is given both
   * as the document has them.
   */
  private expected({ found, status, type }: Wanted, statusCode: string): Transaction['expected'] {
    const { headers = {}, content = {} } = found.operation.responses[status] ?? {};
    const required = Object.entries(headers).filter(
      ([, header]) => this.document.resolved<Header>(header).required,
    );
    const schema: JsonSchema | undefined = content[type]?.schema;
    return {
      statusCode,
      headers: {
        ...Object.fromEntries(required.map(([name]) => [name, ''])),
        ...(type && { 'Content-Type': type }),
      },
      ...(schema &&
        type.endsWith('json') && {
          bodySchema: draft7(this.document.json.components.schemas, schema),
        }),
    };
  }
}
