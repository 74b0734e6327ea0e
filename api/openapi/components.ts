import { COMMON, type JsonSchema } from './schema';

const NAMES = new Map(Object.entries(COMMON).map(([name, one]) => [JSON.stringify(one), name]));

/** Returns the content of a schema, without its title. */
const textOf = (schema: JsonSchema): string => JSON.stringify({ ...schema, title: undefined });
/** Returns whether a schema has so much content that an equal one is the same. */
const isLarge = (schema: JsonSchema): boolean => 'properties' in schema || 'oneOf' in schema;

/** Schemas that have a title, each once; others, and what says the same, refer to them. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};
  readonly responses: Record<string, object> = {};
  /** By title, as they were given. */
  private readonly given = new Map<string, JsonSchema>();
  /** Titles of the large ones, by what they say. */
  private readonly titles = new Map<string, string>();

  /**
   * Replaces each schema that has a title by a reference.
   * @throws Error when two different schemas have the same title.
   */
  refer(schema: JsonSchema): JsonSchema {
    const title = this.titleOf(schema);
    if (title === undefined) return this.inside(schema);
    const known = this.given.get(title);
    if (known && textOf(known) !== textOf(schema))
      throw new Error(`two schemas are called ${title}`);
    if (!known) {
      this.given.set(title, schema);
      if (isLarge(schema)) this.titles.set(textOf(schema), title);
      this.schemas[title] = this.inside(schema);
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  private titleOf(schema: JsonSchema): string | undefined {
    const same = isLarge(schema) ? this.titles.get(textOf(schema)) : undefined;
    return same ?? schema.title ?? NAMES.get(JSON.stringify(schema));
  }

  private inside(schema: JsonSchema): JsonSchema {
    const entries = Object.entries(schema)
      .filter(([keyword]) => keyword !== 'title')
      .map(([keyword, value]) => {
        if (keyword === 'properties')
          return [
            keyword,
            Object.fromEntries(
              Object.entries(value as Record<string, JsonSchema>).map(([name, one]) => [
                name,
                this.refer(one),
              ]),
            ),
          ];
        if (keyword === 'items' || keyword === 'contentSchema')
          return [keyword, this.refer(value as JsonSchema)];
        if (keyword === 'anyOf' || keyword === 'allOf' || keyword === 'oneOf')
          return [keyword, (value as JsonSchema[]).map((one) => this.refer(one))];
        return [keyword, value];
      });
    return Object.fromEntries(entries) as JsonSchema;
  }
}
