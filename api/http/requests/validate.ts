import type { ObjectSchema, ValidationErrorItem } from 'joi';
import { reporting } from '../../../shared/fields';
import { Problem, type Fault } from '../responses/problem';
import type { KnownCode } from '../responses/problem-kinds';
import { FAULTS_MAX, sizeFaults, toldFaults } from './sizes';
import { fieldOf, textFaults } from './texts';

/** Checks the parts of a request and reports all their faults at once. */

/** Context of the joi rules. */
export interface RuleContext {
  readonly isbnStrict: boolean;
}

type Part = 'query' | 'body';

/**
 * Code of a fault, by joi's type or by the part of it before the dot. They are part of the
 * contract: never rename one.
 */
const FAULT_CODES: Readonly<Record<string, string>> = {
  'any.required': 'REQUIRED',
  'any.unknown': 'READ_ONLY_FIELD',
  'array.max': 'TOO_LONG',
  'array.min': 'TOO_SHORT',
  'array.unique': 'DUPLICATE',
  isbn: 'INVALID_ISBN',
  'number.base': 'INVALID_TYPE',
  'number.integer': 'INVALID_TYPE',
  number: 'OUT_OF_RANGE',
  'object.base': 'INVALID_TYPE',
  'object.min': 'REQUIRED',
  'object.missing': 'REQUIRED',
  object: 'CONFLICTING_FIELDS',
  'string.empty': 'TOO_SHORT',
  'string.max': 'TOO_LONG',
  'text.long': 'TOO_LONG',
  'string.min': 'TOO_SHORT',
  string: 'INVALID_FORMAT',
  'tags.required': 'TAGS_REQUIRED',
  tags: 'INVALID_FORMAT',
  text: 'INVALID_FORMAT',
  date: 'INVALID_FORMAT',
};

/**
 * A request whose faults all have one of these codes gets that code instead of VALIDATION_FAILED.
 */
const SPECIAL_CODES: ReadonlySet<string> = new Set<KnownCode>([
  'INVALID_ID',
  'READ_ONLY_FIELD',
  'INVALID_ISBN',
  'TAGS_REQUIRED',
]);

/**
 * A query whose percent-encoding is broken would otherwise be taken for another text. Faults are
 * added to `faults`.
 */
export function checkEncoding(url: string, faults: Fault[]): void {
  const queryAt = url.indexOf('?');
  if (queryAt < 0 || !url.includes('%', queryAt)) return;
  try {
    decodeURIComponent(url.slice(queryAt));
  } catch {
    faults.push({
      field: 'query',
      code: 'INVALID_FORMAT',
      message: 'the query must be percent-encoded UTF-8',
    });
  }
}

function codeOf(part: Part, { type, context }: ValidationErrorItem): string {
  if (part === 'query' && Array.isArray(context?.['value'])) return 'REPEATED_PARAMETER';
  if (type === 'object.unknown') return part === 'query' ? 'UNKNOWN_PARAMETER' : 'UNKNOWN_FIELD';
  if (type.endsWith('.base')) return 'INVALID_TYPE';
  return FAULT_CODES[type] ?? FAULT_CODES[type.slice(0, type.indexOf('.'))] ?? 'INVALID_VALUE';
}

function messageOf(part: Part, code: string, field: string, message: string): string {
  if (code === 'REPEATED_PARAMETER') return `${field} must not be repeated`;
  if (code === 'UNKNOWN_PARAMETER') return `${field} is not a parameter of this endpoint`;
  if (code === 'UNKNOWN_FIELD') return `${field} is not a field of this endpoint`;
  if (code === 'READ_ONLY_FIELD') return `${field} is read-only`;
  // joi calls the whole thing "value".
  return field === part ? message.replace(/^value\b/, `the ${part}`) : message;
}

/**
 * One fault per field: later ones mostly follow from the first. A special code comes before others.
 */
function toFaults(part: Part, items: readonly ValidationErrorItem[]): Fault[] {
  const byField = new Map<string, Fault>();
  for (const item of items) {
    const isObject = item.type.startsWith('object.') && item.type !== 'object.unknown';
    const field = item.path.length > 0 ? fieldOf(item.path, isObject) : part;
    const code = codeOf(part, item);
    if (!byField.has(field) || SPECIAL_CODES.has(code)) {
      byField.set(field, { field, code, message: messageOf(part, code, field, item.message) });
    }
  }
  return [...byField.values()];
}

/** The faults that the rules found. A fault of the text itself comes first for its field. */
function withTextFaults(faults: readonly Fault[], texts: readonly Fault[]): Fault[] {
  if (texts.length === 0) return [...faults];
  const unknown = new Set(
    faults.flatMap(({ field, code }) => (code.startsWith('UNKNOWN_') ? [field] : [])),
  );
  const told = texts.filter(({ field }) => !unknown.has(field));
  const named = new Set(told.map(({ field }) => field));
  return [...told, ...faults.filter(({ field }) => !named.has(field))];
}

/**
 * What the schema makes of a query or body. Without a schema nothing is allowed in it. Faults are
 * added to `faults`.
 */
export function checkPart(
  part: Part,
  schema: ObjectSchema | undefined,
  value: object,
  context: RuleContext,
  faults: Fault[],
): unknown {
  if (!schema) {
    for (const field of Object.keys(value))
      faults.push({
        field,
        code: 'UNKNOWN_PARAMETER',
        message: messageOf(part, 'UNKNOWN_PARAMETER', field, ''),
      });
    return {};
  }
  // joi copies by assignment, which makes a prototype of this name, so that it would never see the
  // field.
  if (Object.hasOwn(value, '__proto__')) {
    const code = part === 'query' ? 'UNKNOWN_PARAMETER' : 'UNKNOWN_FIELD';
    faults.push({ field: '__proto__', code, message: messageOf(part, code, '__proto__', '') });
    return {};
  }
  const tooMuch = sizeFaults(
    schema,
    value,
    part === 'query' ? 'UNKNOWN_PARAMETER' : 'UNKNOWN_FIELD',
  );
  if (tooMuch.length > 0) {
    faults.push(...tooMuch.slice(0, FAULTS_MAX + 1));
    return {};
  }
  const result = reporting(schema).validate(value, { context });
  const found = result.error ? toFaults(part, result.error.details) : [];
  faults.push(...withTextFaults(found, textFaults(value)));
  return result.value;
}

/** The faults of a body with their places in it. */
export const withPointers = (faults: readonly Fault[], body: object): Fault[] =>
  faults.map((fault) => {
    const { field } = fault;
    // An unknown field may have a dot in its name.
    const path = Object.hasOwn(body, field)
      ? [field]
      : field.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
    const isWhole = field === 'body' && !Object.hasOwn(body, field);
    const tokens = path.map((token) =>
      encodeURIComponent(token.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    return { ...fault, pointer: isWhole ? '#' : `#/${tokens.join('/')}` };
  });

const detailOf = (count: number): string =>
  count > FAULTS_MAX
    ? `More than ${FAULTS_MAX} fields or parameters are not valid. The first ${FAULTS_MAX} are listed.`
    : `${count} fields or parameters are not valid.`;

/** @throws Problem when there are faults, under their special code when they share one. */
export function rejectFaults(faults: readonly Fault[]): void {
  const [first] = faults;
  if (!first) return;
  const shared = SPECIAL_CODES.has(first.code) && faults.every(({ code }) => code === first.code);
  const errors = toldFaults(faults);
  const detail = faults.length === 1 ? `${errors[0]?.message}.` : detailOf(faults.length);
  throw new Problem(shared ? (first.code as KnownCode) : 'VALIDATION_FAILED', detail, {
    extras: { errors },
  });
}

/**
 * The body's schema with numbers, booleans and dates taken as they are: "1" is not 1. Texts are
 * still trimmed.
 */
export function withoutCoercion(schema: ObjectSchema): ObjectSchema {
  const { keys = {} } = schema.describe() as { keys?: Record<string, { type?: string }> };
  const paths = Object.keys(keys).filter((key) =>
    ['number', 'boolean', 'date'].includes(keys[key]?.type ?? ''),
  );
  return paths.length > 0 ? schema.fork(paths, (rule) => rule.strict()) : schema;
}
