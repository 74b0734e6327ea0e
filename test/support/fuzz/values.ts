import type { Random } from '../../simulation/random';
import type { ApiDocument } from '../document/api-document';
import type { JsonSchema } from '../document/open-api';

/** Values for requests: such as a schema takes, and such as hardly any takes. */

const LONG = 100_001;

/** What people write, and what only just is allowed. */
const TEXTS: readonly string[] = [
  ...[
    'Dune',
    '  spaced  out ',
    'c++',
    'ß',
    'İstanbul',
    '東京',
    '👩‍👩‍👧 family',
    'e\u0301',
    'x'.repeat(255),
    '👍'.repeat(8),
    'ﬃ',
    '%',
    '_',
    '\\',
    "O'Brien",
    'a\u2028b',
  ],
  ...[
    'https://img.example/a.jpg',
    'HTTP://X.example/?q=%20',
    '978-0-441-17271-9',
    '0-441-17271-7',
    '9780441172711',
    '080442957X',
    '2024-02-29',
    '0001-01-01',
    '9999-12-31',
  ],
  ...[
    'lending',
    'lending.borrow.*',
    '*.*.created',
    'book-info:1',
    'correct horse battery',
    'completed',
    'all',
  ],
];

const INTEGERS: readonly number[] = [
  1,
  2,
  3,
  7,
  42,
  100,
  101,
  1000,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 53 - 1,
  0,
];

/** What nobody should send. */
const ODD: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1.5, 1e308, 2 ** 53, 2 ** 64, -(2 ** 63)],
  ...[
    '',
    ' ',
    '\t\n',
    '\u0000',
    'a\u0000b',
    '\ud800',
    'a\udfffb',
    '\ufeff',
    '\u202e',
    '\u0085',
    '1',
    'true',
    'null',
    'NaN',
    '1e3',
    '0x10',
    '١',
  ],
  ...[
    'x'.repeat(256),
    'x'.repeat(LONG),
    '👍'.repeat(256),
    'ﬃ'.repeat(255),
    'e\u0301'.repeat(200),
    '\u0344'.repeat(255),
    '9'.repeat(400),
    'a,b',
    ','.repeat(50),
  ],
  ...[
    "'; DROP TABLE book_info; --",
    '" OR 1=1',
    '${7*7}',
    '{{7*7}}',
    '../../etc/passwd',
    '<script>',
    '%00',
    '%',
    '\\',
    '[object Object]',
    '__proto__',
    'constructor',
  ],
  ...[
    '0000-01-01',
    '2023-02-30',
    '10000-01-01',
    '2024-1-1',
    'ftp://x.example',
    'http://',
    'javascript:alert(1)',
    'http://[::1]:99999/',
    `https://x.example/${'a'.repeat(3000)}`,
  ],
  ...[
    [],
    [[]],
    [null],
    Array.from({ length: 21 }, (_, index) => `tag ${index}`),
    {},
    { a: 1 },
    { $ne: null },
    { toString: 1 },
  ],
];

export class Values {
  constructor(
    private readonly document: ApiDocument,
    private readonly random: Random,
    /** Ids that are known to mean something, by the name of the field. */
    private readonly known: (name: string) => number | string | undefined,
  ) {}

  odd(): unknown {
    return this.random.pick(ODD);
  }

  /** A value that the schema takes, as far as one is found. */
  valid(schema: JsonSchema, name = ''): unknown {
    const { oneOf } = schema as { readonly oneOf?: readonly JsonSchema[] };
    if (oneOf) return this.valid(this.random.pick(oneOf), name);
    const [type, nullable] = typesOf(schema);
    if (nullable && this.random.chance(0.2)) return null;
    if (Array.isArray(schema['enum'])) return this.random.pick(schema['enum']);
    switch (type) {
      case 'object':
        return this.object(schema);
      case 'array':
        return Array.from({ length: this.random.integer(0, 3) }, () =>
          this.valid(schema['items'] as JsonSchema),
        );
      case 'boolean':
        return this.random.chance(0.5);
      case 'integer':
        return this.integer(schema, name);
      default:
        return this.fitting(schema, TEXTS);
    }
  }

  private integer(schema: JsonSchema, name: string): unknown {
    const known = this.known(name);
    return known !== undefined && this.random.chance(0.8) ? known : this.fitting(schema, INTEGERS);
  }

  private fitting(schema: JsonSchema, candidates: readonly unknown[]): unknown {
    const fitting = candidates.filter(
      (candidate) => this.document.faults(schema, candidate) === '',
    );
    return this.random.pick(fitting.length > 0 ? fitting : candidates);
  }

  private object(schema: JsonSchema): Record<string, unknown> {
    const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
    const required = (schema['required'] ?? []) as string[];
    const names = Object.keys(properties).filter(
      (name) => required.includes(name) || this.random.chance(0.6),
    );
    return Object.fromEntries(names.map((name) => [name, this.valid(properties[name]!, name)]));
  }
}

function typesOf({ type = 'string' }: JsonSchema): [type: string, nullable: boolean] {
  const types = typeof type === 'string' ? [type] : type;
  return [types.find((one) => one !== 'null') ?? 'string', types.includes('null')];
}
