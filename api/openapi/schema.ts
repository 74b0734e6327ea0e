import { ID_MAX } from '../../shared/fields';

/**
 * JSON Schemas (2020-12) of what clients get, bound to TypeScript. A schema that lacks a field of
 * its view, has one too many, or another type, does not compile. A schema with a title becomes a
 * component of the document.
 */

export interface JsonSchema {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly [keyword: string]: unknown;
}

declare const shown: unique symbol;

/** A schema of values of a type, and of no wider or narrower one. */
export type Schema<Value> = JsonSchema & { readonly [shown]?: (value: Value) => Value };

const schema = <Value>(json: JsonSchema): Schema<Value> => json;

/** A schema for each of these types. */
export type SchemasOf<Types> = { readonly [Name in keyof Types]: Schema<Types[Name]> };

/** The members of a view, each as an example shows it. */
type Properties<View> = { readonly [Member in keyof View]-?: Schema<View[Member]> };

export const id = schema<number>({ type: 'integer', minimum: 1, maximum: ID_MAX });
export const count = schema<number>({ type: 'integer', minimum: 0, maximum: ID_MAX });
/** Measured, and so no integer. */
export const amount = schema<number>({ type: 'number', minimum: 0 });
export const text = schema<string>({ type: 'string' });
export const flag = schema<boolean>({ type: 'boolean' });
/** RFC 3339 in UTC with milliseconds. */
export const instant = schema<string>({
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
});
export const day = schema<string>({ type: 'string', format: 'date' });
export const oneOf = <Value extends string>(values: readonly Value[]): Schema<Value> =>
  schema({ type: 'string', enum: values });
export const arrayOf = <Item>(items: Schema<Item>): Schema<readonly Item[]> =>
  schema({ type: 'array', items });

export function nullable<Value>(of: Schema<Value>): Schema<Value | null> {
  const { type, title } = of;
  // What is a component stays one.
  return schema(
    title === undefined
      ? { ...of, type: [type as string, 'null'] }
      : { anyOf: [of, { type: 'null' }] },
  );
}

/** Schemas that stand in many places, which a document has once. */
export const COMMON: Readonly<Record<string, JsonSchema>> = {
  Id: id,
  NullableId: nullable(id),
  Count: count,
  NullableCount: nullable(count),
  Instant: instant,
  NullableInstant: nullable(instant),
};

/** Returns an object with all of these members and no others. */
export function object<View extends object>(
  title: string,
  properties: Properties<View>,
  example?: NoInfer<View>,
): Schema<View> {
  const members = properties as Readonly<Record<string, JsonSchema>>;
  return {
    title,
    type: 'object',
    additionalProperties: false,
    required: Object.keys(members),
    properties: members,
    ...(example && { examples: [example] }),
  };
}

/** Returns the object, in which these members may be absent. */
export function optional<View extends object>(
  of: Schema<Required<View>>,
  names: readonly (keyof View)[],
): Schema<View> {
  const required = Object.keys(of.properties ?? {}).filter(
    (name) => !names.includes(name as keyof View),
  );
  return { ...(of as JsonSchema), required };
}

const PAGE: JsonSchema = {
  title: 'Page',
  type: 'object',
  required: ['page', 'size', 'totalItems', 'totalPages'],
  properties: {
    page: id,
    size: id,
    totalItems: count,
    totalPages: count,
    totalIsAtLeast: {
      type: 'boolean',
      const: true,
      description: 'There may be more than `totalItems`, which are counted up to 10,000.',
    },
  },
};

/** Returns a page of a list; `extras` are further members of the body. */
export function page(
  items: JsonSchema,
  title = `${String(items.title)}List`,
  extras: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const properties = { items: arrayOf(items), ...extras };
  const required = Object.keys(properties);
  return {
    ...{ title, type: 'object', allOf: [PAGE], required, properties },
    unevaluatedProperties: false,
  };
}
