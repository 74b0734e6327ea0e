import type { ObjectSchema } from 'joi';
import type { Fault } from '../responses/problem';

/**
 * Bounds the size of a request before its values are checked. A list of a hundred thousand faults
 * would otherwise be checked, and reported, item by item.
 */

/** Most faults that are reported for a request. */
export const FAULTS_MAX = 50;
/** Longest name and message of a reported fault, characters: they repeat what the client sent. */
const TOLD_LENGTH_MAX = 300;

interface Sizes {
  readonly fields: ReadonlySet<string>;
  /** Most items of each field that is a list. */
  readonly items: ReadonlyMap<string, number>;
  /** The members of the items of each list of objects. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
}

const sizesOf = new WeakMap<ObjectSchema, Sizes>();

interface Described {
  readonly type?: string;
  readonly items?: readonly { readonly keys?: Readonly<Record<string, unknown>> }[];
  readonly rules?: readonly {
    readonly name: string;
    readonly args?: { readonly limit?: unknown };
  }[];
}

function readSizes(schema: ObjectSchema): Sizes {
  const { keys = {} } = schema.describe() as { keys?: Record<string, Described> };
  const lists = Object.entries(keys).filter(([, { type }]) => type === 'array');
  const items = lists.map(([field, { rules = [] }]) => {
    const limit = rules.find(({ name }) => name === 'max')?.args?.limit;
    if (typeof limit !== 'number') throw new Error(`the list ${field} has no greatest length`);
    return [field, limit] as const;
  });
  const members = lists.flatMap(([field, rule]) => {
    const names = rule.items?.[0]?.keys;
    return names ? [[field, new Set(Object.keys(names))] as const] : [];
  });
  return { fields: new Set(Object.keys(keys)), items: new Map(items), members: new Map(members) };
}

/** The fields that items of lists have and should not. */
function unknownMembers({ members }: Sizes, value: object): string[] {
  return [...members].flatMap(([field, names]) => {
    const given: unknown = (value as Record<string, unknown>)[field];
    if (!Array.isArray(given)) return [];
    return given.flatMap((item: unknown, index) =>
      typeof item === 'object' && item !== null && !Array.isArray(item)
        ? Object.keys(item)
            .filter((name) => !names.has(name))
            .map((name) => `${field}[${index}].${name}`)
        : [],
    );
  });
}

/**
 * The fields of a query or body that are too many, or have too many items; empty when the values
 * are worth checking.
 * @throws Error for a schema with a list of any length.
 */
export function sizeFaults(schema: ObjectSchema, value: object, unknownCode: string): Fault[] {
  const sizes = sizesOf.get(schema) ?? readSizes(schema);
  sizesOf.set(schema, sizes);
  const faults: Fault[] = [];
  for (const [field, limit] of sizes.items) {
    const given: unknown = (value as Record<string, unknown>)[field];
    if (Array.isArray(given) && given.length > limit)
      faults.push({
        field,
        code: 'TOO_LONG',
        message: `${field} must contain at most ${limit} items, got ${given.length}`,
      });
  }
  const unknown = [
    ...Object.keys(value).filter((field) => !sizes.fields.has(field)),
    ...(faults.length > 0 ? [] : unknownMembers(sizes, value)),
  ];
  if (unknown.length <= FAULTS_MAX) return faults;
  return [
    ...faults,
    ...unknown.map((field) => ({
      field,
      code: unknownCode,
      message: `${shortened(field)} is not known at this endpoint`,
    })),
  ];
}

const shortened = (text: string): string =>
  text.length > TOLD_LENGTH_MAX ? `${text.slice(0, TOLD_LENGTH_MAX).toWellFormed()}…` : text;

/** The faults that are reported: the first ones, shortened. */
export function toldFaults(faults: readonly Fault[]): Fault[] {
  return faults.slice(0, FAULTS_MAX).map(({ field, pointer, code, message }) => ({
    field: shortened(field),
    ...(pointer !== undefined && pointer.length <= TOLD_LENGTH_MAX && { pointer }),
    code,
    message: shortened(message),
  }));
}
