import type Joi from 'joi';
import type { Service } from '../../../shared/service';
import { expectListed } from './listed';
import type { StoredFields } from './stored-fields';

/**
 * Tries payload rules with values that their columns cannot store. MySQL would refuse such a value
 * when a batch commits, and SQLite would keep it.
 */

/** A text or number of a payload. */
interface Field {
  readonly command: string;
  /** As `STORED_FIELDS` names it. */
  readonly name: string;
  readonly rule: Joi.Schema;
}

/** The types of columns by `table.column`, as migrations declare them. */
export type ColumnTypes = ReadonlyMap<string, string>;

interface Keys {
  readonly key: string;
  readonly schema: Joi.Schema;
}

function fieldsIn(command: string, rule: Joi.Schema, name = ''): Field[] {
  const { keys, items } = rule.$_terms as { keys?: Keys[]; items?: Joi.Schema[] };
  switch (rule.type) {
    case 'object':
      return (keys ?? []).flatMap(({ key, schema }) =>
        fieldsIn(command, schema, name === '' || name === 'changes' ? key : `${name}.${key}`),
      );
    case 'array':
      return (items ?? []).flatMap((item) => fieldsIn(command, item, `${name}[]`));
    case 'boolean':
      return [];
    default:
      return [{ command, name, rule }];
  }
}

/** Texts of some form, of at least as many characters. */
type Form = (length: number) => string;

/** One of them fits each rule for texts. */
const FORMS: readonly Form[] = [
  (length) => 'a'.repeat(length),
  // Four bytes.
  (length) => '\u{1f600}'.repeat(length),
  // Two characters once it is composed.
  (length) => '\ufb1f'.repeat(length),
  (length) => '9'.repeat(length),
  (length) => 'https://a.example/'.padEnd(length, 'a'),
  (length) => `a@${'b.'.repeat(Math.max(1, Math.ceil((length - 5) / 2)))}org`,
];
/** How many lengths are tried for a text that fits a rule, and for one that is too long. */
const LENGTHS = 64;
const from = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);

/** What a column stores. */
interface Room {
  readonly values: string;
  /** Values around what fits. */
  readonly tried: () => Iterable<unknown>;
  readonly fits: (value: unknown) => boolean;
}

function* textsOf(lengths: readonly number[]): Iterable<string> {
  for (const form of FORMS) for (const length of lengths) yield form(length);
}

function characters(max: number): Room {
  return {
    values: `texts of ${max} characters`,
    tried: () => textsOf([...from(1, LENGTHS), max, ...from(max + 1, LENGTHS), 2 * max, 4 * max]),
    fits: (value) => Array.from(String(value)).length <= max,
  };
}

function bytes(max: number): Room {
  return {
    values: `texts of ${max} bytes`,
    tried: () =>
      textsOf([...from(1, LENGTHS), Math.ceil(max / 4) + 1, Math.ceil(max / 3) + 1, max + 1]),
    fits: (value) => Buffer.byteLength(String(value)) <= max,
  };
}

function integers(bits: number): Room {
  const beyond = 2 ** (bits - 1);
  return {
    values: `integers of ${bits} bits`,
    tried: () => [1, 1.5, beyond, -beyond - 1, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE],
    fits: (value) => Number.isInteger(value) && Number(value) < beyond && Number(value) >= -beyond,
  };
}

/** The first instant of the year 10000, milliseconds since 1970. */
const BEYOND_INSTANTS = Date.UTC(10_000, 0, 1);
const INSTANTS: Room = {
  values: 'instants up to the year 9999',
  tried: () => [
    ...[1, BEYOND_INSTANTS, Number.MAX_SAFE_INTEGER],
    ...['2026-02-28', '2026-02-30', '10000-01-01', '+010000-01-01'],
  ],
  fits: (value) => new Date(value as string | number).getTime() < BEYOND_INSTANTS,
};

function roomOf(type: string): Room {
  const [, length] = /^VARCHAR\((\d+)\)$/.exec(type) ?? [];
  if (length !== undefined) return characters(Number(length));
  switch (type) {
    case 'TEXT':
      return bytes(2 ** 24 - 1);
    case 'BIGINT':
      return integers(64);
    case 'INT':
    case 'INTEGER':
      return integers(32);
    case 'DATETIME':
      return INSTANTS;
    default:
      throw new Error(`What does a column of type ${type} store? Say it in roomOf.`);
  }
}

/** Returns what a rule lets through, as it comes out: trimmed, composed and so on. */
function* accepted(rule: Joi.Schema, { tried }: Room): Iterable<unknown> {
  const { flags, allow = [] } = rule.describe() as { flags?: { only?: true }; allow?: unknown[] };
  for (const value of flags?.only ? allow : tried()) {
    const result = rule.validate(value);
    if (!result.error && result.value !== null) yield result.value;
  }
}

const shown = (value: unknown): string =>
  typeof value === 'string' && value.length > 40
    ? `a text of ${Array.from(value).length} characters`
    : JSON.stringify(value);

function* faultsOf({ command, name, rule }: Field, column: string, type: string): Iterable<string> {
  const room = roomOf(type);
  const values = [...accepted(rule, room)];
  const field = `${command}: ${name}`;
  if (values.length === 0)
    yield `${field} takes none of the values that were tried for ${column}. Add a form to FORMS.`;
  const tooMuch = values.find((value) => !room.fits(value));
  if (tooMuch !== undefined)
    yield `${field} takes ${shown(tooMuch)}, but ${column} stores ${room.values}.`;
}

/**
 * Returns a sentence for each payload rule that lets through what a column cannot store.
 * `STORED_FIELDS` says which column, and must list each text and number of the service's payloads.
 */
export function weakRules(
  services: Readonly<Record<string, Service>>,
  stored: StoredFields,
  types: ColumnTypes,
): string[] {
  return Object.entries(services).flatMap(([service, { payloads }]) => {
    const columnsOf = stored[service] ?? {};
    const fields = Object.entries(payloads).flatMap(([type, rule]) => fieldsIn(type, rule));
    const names = [...new Set(fields.map(({ name }) => name))];
    const where = `${service} in STORED_FIELDS of test/support/check/stored-fields.ts`;
    expectListed(where, Object.keys(columnsOf), names);
    return fields.flatMap((field) =>
      (columnsOf[field.name] ?? []).flatMap((column) => {
        const type = types.get(column);
        return type === undefined
          ? [`${where} names ${column}, which does not exist.`]
          : [...faultsOf(field, column, type)];
      }),
    );
  });
}
