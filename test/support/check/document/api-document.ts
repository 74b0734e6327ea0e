import addFormats from 'ajv-formats';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import type {
  FoundOperation,
  JsonSchema,
  OpenApi,
  Operation,
  PathItem,
  Reference,
  ServedPath,
} from './open-api';

/**
 * An OpenAPI document that values can be validated against. Compiling its schemas takes about a
 * second, so this file is loaded by the environment of the tests, once for all files of a Jest
 * worker. Test files get the documents from `documentOf`.
 */

/**
 * Returns how exact a template is: static segments come before mixed ones, and these before pure
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

/** A document, with all that is needed to validate answers. */
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
  private readonly validators = new WeakMap<JsonSchema, ValidateFunction>();
  /** By the text of their schema, which each test file has an object of its own for. */
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly templates: readonly { readonly template: string; readonly form: RegExp }[];

  constructor(readonly json: OpenApi) {
    this.ajv.addSchema({ $id: 'document', $defs: referring(json.components.schemas) });
    const templates = Object.keys(json.paths).sort((a, b) =>
      precedence(a).localeCompare(precedence(b)),
    );
    this.templates = templates.map((template) => ({ template, form: formOf(template) }));
  }

  /** Returns all operations, in the order of the document. */
  operations(): FoundOperation[] {
    return Object.entries(this.json.paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method, template, operation })),
    );
  }

  /** Returns the path of a request, with the values of its parameters. */
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

  /** Returns what is wrong with a value, empty when nothing is. */
  faults(schema: JsonSchema, value: unknown): string {
    const validate = this.validators.get(schema) ?? this.compile(schema);
    return validate(value)
      ? ''
      : this.ajv.errorsText(validate.errors, { dataVar: '', separator: '; ' });
  }

  private compile(schema: JsonSchema): ValidateFunction {
    const text = JSON.stringify(schema);
    const validate = this.compiled.get(text) ?? this.ajv.compile(referring(schema));
    this.compiled.set(text, validate);
    this.validators.set(schema, validate);
    return validate;
  }
}

/**
 * Returns the part with everything that it refers to in its place; requests refer to nothing twice.
 */
function withoutReferences(json: OpenApi, part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map((one) => withoutReferences(json, one));
  const { $ref } = part as { $ref?: unknown };
  if (typeof $ref === 'string')
    return withoutReferences(
      json,
      $ref
        .split('/')
        .slice(1)
        .reduce<unknown>((whole, step) => (whole as Record<string, unknown>)[step], json),
    );
  const whole = Object.fromEntries(
    Object.entries(part).map(([name, one]) => [name, withoutReferences(json, one)]),
  );
  // What may be null as well is written as one schema, as that of a field which is no component.
  const { anyOf, ...rest } = whole as { anyOf?: JsonSchema[] };
  const [one, none] = anyOf ?? [];
  return anyOf?.length === 2 && one && none?.type === 'null' && typeof one.type === 'string'
    ? { ...rest, ...one, type: [one.type, 'null'] }
    : whole;
}

/**
 * Returns the document with each parameter, answer and body in its place, instead of a reference.
 */
function inPlace(json: OpenApi): OpenApi {
  const at = <Part>(part: Part): Part => withoutReferences(json, part) as Part;
  const answerAt = <Part extends object>(part: Part | Reference): Part =>
    '$ref' in part
      ? (part.$ref
          .split('/')
          .slice(1)
          .reduce<unknown>((whole, step) => (whole as Record<string, unknown>)[step], json) as Part)
      : part;
  const mapped = <From, To>(of: Readonly<Record<string, From>>, to: (from: From) => To) =>
    Object.fromEntries(Object.entries(of).map(([name, value]) => [name, to(value)]));
  const operation = ({
    parameters = [],
    requestBody,
    responses,
    ...rest
  }: Operation): Operation => ({
    security: json.security,
    ...rest,
    ...(parameters.length > 0 && { parameters: at(parameters) }),
    ...(requestBody && { requestBody: at(requestBody) }),
    responses: mapped(responses, answerAt),
  });
  const path = ({ parameters: ofAll = [], ...methods }: ServedPath): PathItem =>
    mapped(methods as PathItem, ({ parameters = [], ...rest }) =>
      operation({ ...rest, parameters: [...ofAll, ...parameters] }),
    );
  return { ...json, paths: mapped(json.paths, path) };
}

const documents = new Map<string, ApiDocument>();

/** Returns the document with this text. */
export function apiDocument(text: string): ApiDocument {
  let document = documents.get(text);
  if (!document) {
    document = new ApiDocument(inPlace(JSON.parse(text) as OpenApi));
    documents.set(text, document);
  }
  return document;
}
