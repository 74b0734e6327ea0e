import type { Random } from '../../simulation/random';
import type { ApiDocument } from '../document/api-document';
import { bodyOf, type FoundOperation, type Parameter } from '../document/open-api';
import type { Values } from './values';

/**
 * Makes requests for an operation of the document: about half of them good, the others wrong in one
 * way or several.
 */

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

const ODD_SEGMENTS = [
  '0',
  '01',
  '-1',
  '1.0',
  '1e3',
  'abc',
  '%20',
  '%00',
  '1%00',
  '%ff',
  '%zz',
  '%',
  '%2F',
  '%E2%80%AE',
  '%D9%A1',
  '..',
  '9007199254740992',
  '9'.repeat(400),
  "1'--",
  'popular',
];
const ODD_PARTS = [
  '=',
  '&&',
  'a',
  '%zz=1',
  '%ff=%ff',
  'a[b]=c',
  '__proto__=1',
  'constructor=1',
  'page',
  'size=',
  'page=0',
  'size=1000000',
  'q=%00',
  'q=%ED%A0%80',
  'q=+',
  'after=e30',
  `q=${'x'.repeat(5000)}`,
];
const ODD_BODIES = [
  '',
  ' ',
  'null',
  '[]',
  '"text"',
  '1',
  '{',
  '{"a":1}{',
  '{"a":1,"a":2}',
  '{"__proto__":{"isAdmin":true}}',
  '{"title":1e400}',
  '\ufeff{}',
  "{'a':1}",
  '{"title":"\\ud800"}',
  '['.repeat(20_000),
  `{"a":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}`,
]
  .map((text) => Buffer.from(text))
  .concat([
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    Buffer.alloc(1024 * 1024 + 1, 0x20),
  ]);

/** Values of headers, good and odd ones. */
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  prefer: [
    'respond-async',
    'wait=0',
    'wait=5',
    'wait=999999999999',
    'wait=-1',
    'wait=x',
    'respond-async, wait=1',
    ';;,,',
    'return=minimal',
    '\u00ff',
  ],
  'idempotency-key': ['a', 'b', 'x'.repeat(255), 'x'.repeat(256), ' ', '\u00ff', '"quoted"'],
  'if-match': [
    '*',
    '"1.0-0"',
    'W/"1.0-0"',
    '"1.0-0", "2.0-0"',
    '"',
    'x',
    '"9007199254740993.0-0"',
    ','.repeat(100),
  ],
  'if-none-match': ['*', '"1.0-0"', 'W/"x"', '"', ','.repeat(100)],
  'accept-encoding': ['gzip', 'br', 'identity;q=0', '*;q=0', 'gzip;q=x', 'deflate, gzip'],
  accept: ['application/xml', '*/*', ';;'],
  'x-request-id': ['fuzz', 'with space', 'x'.repeat(200), '\u00ff'],
  traceparent: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'x'],
  range: ['bytes=0-1'],
};
const CONTENT_TYPES = [
  'application/merge-patch+json',
  'application/json; charset=utf-8',
  'application/json; charset=latin1',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json;',
  '',
  'x',
  'multipart/form-data; boundary=x',
];
const ENCODINGS = ['gzip', 'br', 'x', 'identity'];
const OTHER_METHODS = ['PUT', 'OPTIONS', 'HEAD', 'POST', 'GET', 'PATCH', 'DELETE', 'PROPFIND'];

/** Longest value in a query, characters: Node itself refuses headers of more than 16 KiB. */
const LENGTH_MAX = 1000;
/** How probable each thing is that is wrong. */
const WRONG = 0.12;

export class Requests {
  constructor(
    private readonly document: ApiDocument,
    private readonly values: Values,
    private readonly random: Random,
    private readonly known: (name: string) => number | string | undefined,
  ) {}

  make(found: FoundOperation, token: string | undefined): FuzzRequest {
    const method = this.random.chance(0.04)
      ? this.random.pick(OTHER_METHODS)
      : found.method.toUpperCase();
    const query = this.query(found);
    const body = this.body(found);
    const type = this.random.chance(0.06) ? this.random.pick(CONTENT_TYPES) : 'application/json';
    const compressed = this.random.chance(0.02)
      ? { 'content-encoding': this.random.pick(ENCODINGS) }
      : {};
    const headers = {
      ...this.headers(),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': type, ...compressed, 'content-length': String(body.length) }),
    };
    return {
      method,
      path: `${this.path(found)}${query === '' ? '' : `?${query}`}`,
      headers,
      ...(body && { body }),
    };
  }

  private path({ template }: FoundOperation): string {
    return template.replace(/\{(\w+)\}/g, (_all, name: string) => {
      if (this.random.chance(WRONG)) return this.random.pick(ODD_SEGMENTS);
      return encodeURIComponent(String(this.known(name) ?? this.random.pick([1, 2, 2 ** 53 - 1])));
    });
  }

  private parameters({ operation }: FoundOperation, place: Parameter['in']): Parameter[] {
    return (operation.parameters ?? [])
      .map((parameter) => this.document.resolved<Parameter>(parameter))
      .filter((parameter) => parameter.in === place);
  }

  private query(found: FoundOperation): string {
    const parts = this.parameters(found, 'query').flatMap(({ name, schema }) => {
      if (this.random.chance(0.6)) return [];
      const value = this.random.chance(WRONG) ? this.values.odd() : this.values.valid(schema, name);
      const text =
        typeof value === 'string'
          ? value
          : Array.isArray(value)
            ? value.join(',')
            : JSON.stringify(value);
      return [`${name}=${encodeURIComponent(text.slice(0, LENGTH_MAX).toWellFormed())}`];
    });
    if (this.random.chance(WRONG)) parts.push(this.random.pick(ODD_PARTS));
    if (parts[0] && this.random.chance(0.04)) parts.push(parts[0]);
    // Half of a surrogate pair: no UTF-8.
    if (parts[0] && this.random.chance(0.06)) parts[0] += '%ED%A0%80';
    return parts.join('&');
  }

  private body({ operation }: FoundOperation): Buffer | undefined {
    if (this.random.chance(0.06)) return this.random.pick(ODD_BODIES);
    const schema = bodyOf(operation);
    if (!schema) return this.random.chance(0.1) ? Buffer.from('{}') : undefined;
    const body = this.values.valid(schema) as Record<string, unknown>;
    const names = Object.keys(schema['properties'] ?? {});
    if (this.random.chance(WRONG)) body[this.random.pick(names)] = this.values.odd();
    if (this.random.chance(0.05)) Reflect.deleteProperty(body, this.random.pick(names));
    if (this.random.chance(0.05))
      body[this.random.pick(['unknown', 'isAdmin', 'version', 'createdAt', ''])] =
        this.values.odd();
    return Buffer.from(JSON.stringify(body));
  }

  private headers(): Record<string, string> {
    const names = Object.keys(HEADERS).filter(() => this.random.chance(0.1));
    return Object.fromEntries(names.map((name) => [name, this.random.pick(HEADERS[name]!)]));
  }
}
