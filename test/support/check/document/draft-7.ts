import type { JsonSchema } from './open-api';

/**
 * Schemas of the document as JSON Schema draft 7, for tools that know no later draft. OpenAPI 3.1
 * has those of draft 2020-12.
 */

export type Schemas = Readonly<Record<string, JsonSchema>>;

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

/** Adds the schemas to which a part refers, and those to which they refer. */
function addReferred(schemas: Schemas, part: unknown, found: Record<string, JsonSchema>): void {
  for (const [, name = ''] of JSON.stringify(part).matchAll(REFERENCE)) {
    const schema = schemas[name];
    if (!schema || name in found) continue;
    found[name] = schema;
    addReferred(schemas, schema, found);
  }
}

/** Returns the members that a schema names, by itself and in its parts. */
function membersOf(schemas: Schemas, schema: JsonSchema): string[] {
  const { $ref, properties = {}, allOf = [] } = schema;
  const referred = typeof $ref === 'string' ? schemas[$ref.split('/').at(-1) ?? ''] : undefined;
  return [
    ...Object.keys(properties as object),
    ...(allOf as JsonSchema[]).flatMap((part) => membersOf(schemas, part)),
    ...(referred ? membersOf(schemas, referred) : []),
  ];
}

/** Returns a part that is closed by draft 7, which only counts the members beside the keyword. */
function closed(schemas: Schemas, part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map((one) => closed(schemas, one));
  const { unevaluatedProperties, ...rest } = Object.fromEntries(
    Object.entries(part).map(([name, one]) => [name, closed(schemas, one)]),
  );
  if (unevaluatedProperties !== false) return rest;
  const anything = membersOf(schemas, part as JsonSchema).map((name) => [name, {}]);
  const properties = { ...Object.fromEntries(anything), ...(rest['properties'] as object) };
  return { ...rest, properties, additionalProperties: false };
}

/** Returns a schema that stands alone. */
export function draft7(schemas: Schemas, schema: JsonSchema): JsonSchema {
  const found: Record<string, JsonSchema> = {};
  addReferred(schemas, schema, found);
  const whole = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    allOf: [closed(schemas, schema)],
    definitions: closed(schemas, found),
  };
  return JSON.parse(JSON.stringify(whole).replace(REFERENCE, '"#/definitions/$1"')) as JsonSchema;
}
