import type { JsonSchema } from './schema';

/**
 * Writes the members that one object has and others have as well once, in a component of their own.
 * That component is open, and each object which has its members closes itself.
 */

/** Fewest members without which an object is not, that are worth a component. */
const MEMBERS_MIN = 4;

interface ClosedObject extends JsonSchema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, JsonSchema>>;
}

const isClosed = (schema: JsonSchema): schema is ClosedObject =>
  schema['additionalProperties'] === false && Array.isArray(schema['required']);

/** Returns whether an object has all members of another, and more or as many. */
function hasMembersOf(one: ClosedObject, base: ClosedObject): boolean {
  return (
    Object.entries(base.properties).every(
      ([name, schema]) => JSON.stringify(one.properties[name]) === JSON.stringify(schema),
    ) && base.required.every((name) => one.required.includes(name))
  );
}

const sizeOf = ({ properties }: ClosedObject): number => Object.keys(properties).length;

/** Returns the name of the component that has the members of an object. */
const membersOf = (name: string): string => `${name}Members`;

/** Without the keyword that closes it, which would leave out the members of others. */
function opened(schema: ClosedObject): ClosedObject {
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => keyword !== 'additionalProperties'),
  ) as ClosedObject;
}

function without(schema: ClosedObject, base: ClosedObject): JsonSchema {
  const required = schema.required.filter((name) => !base.required.includes(name));
  const properties = Object.entries(schema.properties).filter(
    ([name]) => !(name in base.properties),
  );
  return {
    ...(required.length > 0 && { required }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
  };
}

/** Returns the schemas of answers, with members that several have in components of their own. */
export function withSharedMembers(
  schemas: Readonly<Record<string, JsonSchema>>,
): Record<string, JsonSchema> {
  const closed = Object.entries(schemas).filter(
    (entry): entry is [string, ClosedObject] =>
      isClosed(entry[1]) &&
      !entry[0].endsWith('Request') &&
      entry[1].required.length >= MEMBERS_MIN,
  );
  /** By the name of an object that has more members, the object whose members it has. */
  const bases = new Map<string, [name: string, base: ClosedObject]>();
  for (const [name, schema] of closed) {
    const smaller = closed.filter(
      ([, one]) => sizeOf(one) < sizeOf(schema) && hasMembersOf(schema, one),
    );
    const [largest] = smaller.sort(([, a], [, b]) => sizeOf(b) - sizeOf(a));
    if (largest) bases.set(name, largest);
  }
  const shared = new Set([...bases.values()].map(([name]) => name));
  const from = (name: string): JsonSchema => ({
    allOf: [{ $ref: `#/components/schemas/${membersOf(name)}` }],
  });
  const entries = Object.entries(schemas).flatMap(([name, schema]): [string, JsonSchema][] => {
    if (!isClosed(schema)) return [[name, schema]];
    const { examples, required, properties, ...rest } = opened(schema);
    const base = bases.get(name);
    const own = base
      ? { ...rest, ...from(base[0]), ...without(schema, base[1]) }
      : { ...rest, required, properties };
    const close = { unevaluatedProperties: false };
    // An object without an example is shown by those of its members.
    const example = !base && examples !== undefined ? { examples } : {};
    if (shared.has(name))
      return [
        [membersOf(name), own],
        [name, { type: 'object', ...from(name), ...close, ...example }],
      ];
    return [[name, base ? { ...own, ...close } : schema]];
  });
  return Object.fromEntries(entries);
}
