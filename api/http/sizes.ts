import type { ObjectSchema } from 'joi';
import type { Fault } from './problem';

/**
 * Bounds of what a request costs before its values are looked at: a list of a hundred thousand
 * faults would otherwise be checked item by item, and told item by item.
 */

/** Most faults of one request that are told. */
export const FAULTS_MAX = 50;
/**
 * Longest name and message of a fault that is told, characters: they repeat what the client sent.
 */
const TOLD_LENGTH_MAX = 300;

interface Sizes {
  readonly fields: ReadonlySet<string>;
  /** Most items of each field that is a list. */
  readonly items: ReadonlyMap<string, number>;
}

const sizesOf = new WeakMap<ObjectSchema, Sizes>();

interface Described {
  readonly type?: string;
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
  return { fields: new Set(Object.keys(keys)), items: new Map(items) };
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
  const unknown = Object.keys(value).filter((field) => !sizes.fields.has(field));
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

/** The faults that are told: the first ones, in short. */
export function toldFaults(faults: readonly Fault[]): Fault[] {
  return faults.slice(0, FAULTS_MAX).map(({ field, code, message }) => ({
    field: shortened(field),
    code,
    message: shortened(message),
  }));
}
