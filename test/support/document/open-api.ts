import addFormats from 'ajv-formats';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';

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

interface Reference {
  readonly $ref: string;
}

export interface Operation {
  readonly operationId: string;
  readonly 'x-who': string;
  readonly security: readonly object[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
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

/**
 * How exact a template is: static segments come before mixed ones, and these before pure
 * parameters.
 */
const precedence = (template: string): string =>
  template
    .split('/')
    .map((segment) => (/^\{\w+\}$/.test(segment) ? '2' : segment.includes('{') ? '1' : '0'))
    .join('');

const formOf = (template: string): RegExp =>
  new RegExp(`^${template.replace(/\./g, '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

/** The same with references that a validator of schemas alone can follow. */
const referring = <Json>(json: Json): Json =>
  JSON.parse(
    JSON.stringify(json).replaceAll('"$ref":"#/components/schemas/', '"$ref":"document#/$defs/'),
  ) as Json;

/** The schema of the body of an operation; of alternatives the first. */
export function bodyOf({ requestBody }: Operation): JsonSchema | undefined {
  const schema = requestBody?.content['application/json']?.schema;
  const [first] = (schema?.['anyOf'] ?? []) as readonly JsonSchema[];
  return first ?? schema;
}

/** A document with what is needed to hold answers against it. */
export class ApiDocument {
  private readonly ajv = addFormats(
    new Ajv2020({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      allErrors: true,
      keywords: ['example'],
    }),
  );
  private readonly validators = new Map<JsonSchema, ValidateFunction>();
  private readonly templates: readonly { readonly template: string; readonly form: RegExp }[];

  constructor(readonly json: OpenApi) {
    this.ajv.addSchema({ $id: 'document', $defs: referring(json.components.schemas) });
    const templates = Object.keys(json.paths).sort((a, b) =>
      precedence(a).localeCompare(precedence(b)),
    );
    this.templates = templates.map((template) => ({ template, form: formOf(template) }));
  }

  /** All operations, in the order of the document. */
  operations(): FoundOperation[] {
    return Object.entries(this.json.paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method, template, operation })),
    );
  }

  /** The path that a request means, with what its parameters spell. */
  find(
    path: string,
  ): { template: string; parameters: Readonly<Record<string, string>> } | undefined {
    for (const { template, form } of this.templates) {
      const match = form.exec(path);
      if (match) return { template, parameters: { ...match.groups } };
    }
    return undefined;
  }

  resolved<Part extends object>(part: Part | Reference): Part {
    if (!('$ref' in part)) return part;
    const steps = part.$ref.split('/').slice(1);
    return steps.reduce<unknown>(
      (whole, step) => (whole as Record<string, unknown>)[step],
      this.json,
    ) as Part;
  }

  /** What is wrong with a value, empty when nothing is. */
  faults(schema: JsonSchema, value: unknown): string {
    let validate = this.validators.get(schema);
    if (!validate) {
      validate = this.ajv.compile(referring(schema));
      this.validators.set(schema, validate);
    }
    return validate(value)
      ? ''
      : this.ajv.errorsText(validate.errors, { dataVar: '', separator: '; ' });
  }
}

/** The document with each parameter, answer and body in its place, instead of a reference. */
function inPlace(json: OpenApi): OpenApi {
  const at = <Part extends object>(part: Part | Reference): Part =>
    '$ref' in part
      ? (part.$ref
          .split('/')
          .slice(1)
          .reduce<unknown>((whole, step) => (whole as Record<string, unknown>)[step], json) as Part)
      : part;
  const mapped = <From, To>(of: Readonly<Record<string, From>>, to: (from: From) => To) =>
    Object.fromEntries(Object.entries(of).map(([name, value]) => [name, to(value)]));
  const operation = ({ parameters, requestBody, responses, ...rest }: Operation): Operation => ({
    ...rest,
    ...(parameters && { parameters: parameters.map(at) }),
    ...(requestBody && {
      requestBody: {
        ...requestBody,
        content: mapped(requestBody.content, (one) => ({ ...one, schema: at(one.schema) })),
      },
    }),
    responses: mapped(responses, at),
  });
  return { ...json, paths: mapped(json.paths, (methods) => mapped(methods, operation)) };
}

const documents = new Map<string, Promise<ApiDocument>>();

/** The document that a service serves, fetched once. */
export function documentOf(origin: string): Promise<ApiDocument> {
  let document = documents.get(origin);
  if (!document) {
    // Not by Node's older client, whose exchanges are being looked at.
    document = fetch(`${origin}/openapi.json`).then(
      async (response) => new ApiDocument(inPlace((await response.json()) as OpenApi)),
    );
    documents.set(origin, document);
  }
  return document;
}
