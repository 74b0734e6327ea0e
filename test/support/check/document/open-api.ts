/** The parts of an OpenAPI document that the tests look at. */

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly [keyword: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly example?: unknown;
  readonly required?: boolean;
  readonly allowEmptyValue?: boolean;
  readonly schema: JsonSchema;
}

export interface Content {
  readonly [type: string]: { readonly schema: JsonSchema; readonly example?: unknown };
}

export interface Header {
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export interface Response {
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Content;
}

export interface Reference {
  readonly $ref: string;
}

export interface Operation {
  readonly operationId: string;
  readonly 'x-who': string;
  /** Without it the one of the document counts. */
  readonly security?: readonly object[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

/** The operations of a path, by their methods. */
export type PathItem = Readonly<Record<string, Operation>>;

/** A path as the document has it: what all of its operations take stands there once. */
export type ServedPath = PathItem & { readonly parameters?: readonly (Parameter | Reference)[] };

export interface OpenApi {
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly headers: Readonly<Record<string, Header>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

export interface FoundOperation {
  readonly method: string;
  readonly template: string;
  readonly operation: Operation;
}

/** Returns the schema of the body of an operation; of alternatives the first. */
export function bodyOf({ requestBody }: Operation): JsonSchema | undefined {
  const schema = requestBody?.content['application/json']?.schema;
  const [first] = (schema?.['oneOf'] ?? []) as readonly JsonSchema[];
  return first ?? schema;
}
