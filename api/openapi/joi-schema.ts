import type { ObjectSchema } from 'joi';
import { nullable, type JsonSchema } from './schema';

/**
 * JSON Schemas of the joi rules that check requests. What a rule's own code decides, it says in
 * `meta({ schema })` beside that code; all else is read off the rule, unless that schema has a
 * type: then it says everything. A schema takes all that its rule takes.
 */

/** What `describe()` says of a rule. */
interface Description {
  readonly type?: string;
  readonly flags?: {
    readonly presence?: string;
    readonly only?: boolean;
    readonly default?: unknown;
    readonly empty?: Description;
  };
  readonly rules?: readonly {
    readonly name: string;
    readonly args?: { readonly limit?: number; readonly regex?: string };
  }[];
  readonly allow?: readonly unknown[];
  readonly keys?: Readonly<Record<string, Description>>;
  readonly items?: readonly Description[];
  readonly dependencies?: readonly { readonly rel: string; readonly peers: readonly string[] }[];
  readonly metas?: readonly { readonly schema?: JsonSchema }[];
}

/** The keyword for a rule of a type. */
const KEYWORDS: Readonly<Record<string, string>> = {
  'string.min': 'minLength',
  'string.max': 'maxLength',
  'number.min': 'minimum',
  'number.max': 'maximum',
  'array.min': 'minItems',
  'array.max': 'maxItems',
  'object.min': 'minProperties',
};

const isForbidden = ({ flags }: Description): boolean => flags?.presence === 'forbidden';

/** Returns the limits of a text. A text that is trimmed first may be longer when it is sent. */
function limitsOf({ type = '', rules = [] }: Description): JsonSchema {
  if (rules.some(({ name }) => name === 'trim')) return {};
  const limits = rules.flatMap(({ name, args }) => {
    const keyword = KEYWORDS[`${type}.${name}`];
    return keyword === undefined ? [] : [[keyword, args?.limit] as const];
  });
  return Object.fromEntries(limits);
}

function textOf({ flags, allow = [], rules = [] }: Description): JsonSchema {
  if (flags?.only) return { type: 'string', enum: allow.filter((value) => value !== null) };
  const mayBeBlank = allow.includes('') || rules.some(({ name }) => name === 'trim');
  return { type: 'string', ...(!mayBeBlank && { minLength: 1 }) };
}

function typed(rule: Description): JsonSchema {
  const { type = 'any', items = [], rules = [] } = rule;
  switch (type) {
    case 'object':
      return objectOf(rule);
    case 'array':
      return { type, items: items[0] ? schemaOf(items[0]) : {} };
    case 'number':
      return { type: rules.some(({ name }) => name === 'integer') ? 'integer' : 'number' };
    case 'string':
      return textOf(rule);
    case 'boolean':
      return { type };
    default:
      return {};
  }
}

function objectOf({ keys = {}, dependencies = [] }: Description): JsonSchema {
  const fields = Object.entries(keys).filter(([, rule]) => !isForbidden(rule));
  const required = fields
    .filter(([, { flags }]) => flags?.presence === 'required')
    .map(([name]) => name);
  const properties = Object.fromEntries(fields.map(([name, rule]) => [name, schemaOf(rule)]));
  const closed = (needed: readonly string[], without: readonly string[] = []): JsonSchema => ({
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(properties).filter(([name]) => !without.includes(name)),
    ),
    ...(needed.length > 0 && { required: needed }),
  });
  // Each alternative is closed by itself: generated types let through what a parent leaves open.
  const choice = dependencies.find(({ rel }) => rel === 'or' || rel === 'xor');
  if (!choice) return closed(required);
  // With `or`, the first that is there decides, so that one alternative alone fits.
  const others = (peer: string) =>
    choice.rel === 'xor'
      ? choice.peers.filter((other) => other !== peer)
      : choice.peers.slice(0, choice.peers.indexOf(peer));
  return { oneOf: choice.peers.map((peer) => closed([...required, peer], others(peer))) };
}

/** Returns the values that stand for none, such as the blank that a form sends. */
function orEmpty(schema: JsonSchema, { flags }: Description): JsonSchema {
  return flags?.empty
    ? { ...schema, minLength: 0, pattern: `^\\s*$|${String(schema['pattern'])}` }
    : schema;
}

function schemaOf(rule: Description): JsonSchema {
  const own = Object.assign({}, ...(rule.metas ?? []).map(({ schema }) => schema)) as JsonSchema;
  const { flags, allow = [] } = rule;
  const fixed = flags?.default;
  // Objects and null stand for values that a client cannot write.
  const standard =
    fixed === undefined || fixed === null || typeof fixed === 'object' ? {} : { default: fixed };
  const read = own.type === undefined ? { ...typed(rule), ...limitsOf(rule) } : {};
  const { title, ...rest } = own;
  const open = orEmpty({ ...read, ...standard, ...rest }, rule);
  // With a default of its own it is no longer what other fields are.
  const isCommon = title !== undefined && Object.keys(standard).length === 0;
  const schema: JsonSchema = isCommon
    ? { title: flags?.empty ? `${title}OrBlank` : title, ...open }
    : open;
  return allow.includes(null) ? nullable(schema) : schema;
}

export function bodySchema(rules: ObjectSchema): JsonSchema {
  return schemaOf(rules.describe());
}

/** Returns whether the rules name read-only fields. */
export function namesReadOnly(rules: ObjectSchema): boolean {
  return Object.values((rules.describe() as Description).keys ?? {}).some(isForbidden);
}

/** Returns the parameters of a query, by name. */
export function parametersOf(rules: ObjectSchema): {
  name: string;
  required?: boolean;
  allowEmptyValue?: unknown;
  schema: JsonSchema;
}[] {
  const { keys = {} } = rules.describe() as Description;
  return Object.entries(keys).map(([name, rule]) => {
    const { allowEmptyValue, ...schema } = schemaOf(rule);
    const required = rule.flags?.presence === 'required';
    return {
      name,
      ...(required && { required }),
      ...(allowEmptyValue !== undefined && { allowEmptyValue }),
      schema,
    };
  });
}
