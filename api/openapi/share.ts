/**
 * Parts that stand in the document twice or more become components, which operations refer to. So
 * does every refusal, for generators make a type of what has a name.
 */

export interface Operation {
  readonly operationId: string;
  parameters?: object[];
  readonly responses: Record<string, object>;
}

/** What a path has: its operations by their methods, and what all of them take. */
export type PathItem = Record<string, Operation | object[]>;

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Answer {
  readonly status: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>;
}

/** A part of an operation that can be replaced by a reference. */
interface Place<Part> {
  readonly part: Part;
  readonly refer: (reference: object) => void;
}

/** What answers without a problem are called, after what they hold or how they are described. */
const STATUS_NAMES: Readonly<Record<string, string>> = {
  201: 'Made',
  202: 'Promised',
  304: 'NotModified',
};

/** What an answer with such a header is called besides. */
const HEADER_NAMES: Readonly<Record<string, string>> = {
  'Preference-Applied': '',
  'X-Total-Count': 'List',
  ETag: 'Tagged',
  Link: '',
  Location: '',
};

/**
 * Replaces parts by references that are equal, or that must have a name. `namesOf` names these
 * parts, each once.
 */
function share<Part extends object>(
  kind: string,
  places: readonly Place<Part>[],
  namesOf: (parts: readonly Part[]) => readonly string[],
  mustBeNamed: (part: Part) => boolean = () => false,
): Record<string, Part> {
  const equal = new Map<string, Place<Part>[]>();
  for (const place of places) {
    const text = JSON.stringify(place.part);
    equal.set(text, [...(equal.get(text) ?? []), place]);
  }
  const named = [...equal.values()].filter(
    ([first, ...others]) => others.length > 0 || (first && mustBeNamed(first.part)),
  );
  const parts = named.flatMap(([first]) => (first ? [first.part] : []));
  const components: Record<string, Part> = {};
  namesOf(parts).forEach((name, index) => {
    const part = parts[index];
    if (!part) return;
    if (name in components) throw new Error(`two ${kind} are called ${name}`);
    components[name] = part;
    for (const { refer } of named[index] ?? []) refer({ $ref: `#/components/${kind}/${name}` });
  });
  return components;
}

/** `ALREADY_BORROWED` as a part of a name. */
const pascal = (code: string): string =>
  code.replace(
    /([A-Z])([A-Z]*)_?/g,
    (_all, first: string, rest: string) => first + rest.toLowerCase(),
  );

/** Returns the codes of a refusal of its own. */
function codesOf({ content }: Answer): readonly string[] {
  const schema = content?.['application/problem+json']?.schema as
    | { allOf: [object, { properties: { code: { enum: readonly string[] } } }] }
    | undefined;
  return schema?.allOf[1].properties.code.enum ?? [];
}

/** Returns the names of codes, without the words that all of them end with. */
function codesName(codes: readonly string[]): string {
  const ending = codes.every((code) => code.endsWith('_NOT_FOUND')) ? '_NOT_FOUND' : '';
  const words = codes.map((code) => pascal(code.slice(0, code.length - ending.length)));
  return `${words.join('Or')}${pascal(ending.slice(1))}`;
}

/** Leaves out the problem that every user may get: the first password must be changed. */
const toldCodes = (codes: readonly string[]): readonly string[] =>
  codes.length === 1 ? codes : codes.filter((code) => code !== 'PASSWORD_CHANGE_REQUIRED');

/** Returns the component in the body, if it is one. */
const schemaOf = ({ content = {} }: Answer): string | undefined =>
  Object.values(content)[0]?.schema?.$ref?.split('/').at(-1);

/** Returns the codes of a refusal, or otherwise status, schema or description, and headers. */
function answerName(answer: Answer): string {
  const { status, description, headers = {} } = answer;
  const codes = codesOf(answer);
  if (codes.length > 0) return codesName(toldCodes(codes));
  const words = /^(?:The )?\w+/.exec(description)?.[0] ?? '';
  const body = status === '202' ? '' : (schemaOf(answer) ?? '');
  const named = `${STATUS_NAMES[status] ?? ''}${body}` || words.replaceAll(/\W/g, '');
  const suffixes = Object.keys(headers)
    .map((header) => HEADER_NAMES[header] ?? header)
    .filter((suffix) => !named.endsWith(suffix));
  return [named, ...suffixes].join('');
}

/** The names of answers. Of two with the same name, the one with more codes is named whole. */
function answerNames(answers: readonly Answer[]): string[] {
  const names = answers.map(answerName);
  return answers.map((answer, index) => {
    const name = names[index] ?? '';
    const codes = codesOf(answer);
    const isTwice = names.filter((other) => other === name).length > 1;
    return isTwice && toldCodes(codes).length < codes.length ? codesName(codes) : name;
  });
}

/** Its name; with its place where a parameter elsewhere has the same. */
function parameterName({ name, in: place }: Parameter, all: readonly Parameter[]): string {
  const isTwice = all.some((other) => other.name === name && other.in !== place);
  return isTwice ? `${name}In${pascal(place.toUpperCase())}` : name;
}

const isOwn = (part: object): boolean => !('$ref' in part);

export interface SharedParts {
  readonly parameters: Record<string, object>;
  readonly responses: Record<string, object>;
}

/**
 * Makes components of the parameters and answers that operations have in common.
 * @throws Error when two of them would have the same name.
 */
export function shareParts(operations: readonly Operation[]): SharedParts {
  const parameters = operations.flatMap(({ parameters = [] }) =>
    parameters.map((part, index) => ({
      part: part as Parameter,
      refer: (reference: object) => (parameters[index] = reference),
    })),
  );
  const answers = operations.flatMap(({ responses }) =>
    Object.entries(responses).map(([status, part]) => ({
      part: { status, ...part } as Answer,
      refer: (reference: object) => (responses[status] = reference),
    })),
  );
  const responses = share(
    'responses',
    answers.filter(({ part }) => isOwn(part)),
    answerNames,
    (answer) => codesOf(answer).length > 0,
  );
  return {
    parameters: share(
      'parameters',
      parameters.filter(({ part }) => isOwn(part)),
      (parts) => parts.map((part) => parameterName(part, parts)),
    ),
    responses: Object.fromEntries(
      Object.entries(responses).map(([name, { description, headers, content }]) => [
        name,
        { description, ...(headers && { headers }), ...(content && { content }) },
      ]),
    ),
  };
}

/** Returns the path with the parameters that all of its operations take, named once. */
export function withCommonParameters(methods: Readonly<Record<string, Operation>>): PathItem {
  const operations = Object.values(methods);
  const [{ parameters = [] } = { parameters: [] }, ...others] = operations;
  const texts = others.map((other) => (other.parameters ?? []).map((one) => JSON.stringify(one)));
  const common = parameters.filter((one) => texts.every((of) => of.includes(JSON.stringify(one))));
  if (others.length === 0 || common.length === 0) return { ...methods };
  const names = common.map((one) => JSON.stringify(one));
  const without = ({ parameters: all = [], ...rest }: Operation): Operation => {
    const own = all.filter((one) => !names.includes(JSON.stringify(one)));
    return { ...rest, ...(own.length > 0 && { parameters: own }) };
  };
  return {
    parameters: common,
    ...Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [method, without(operation)]),
    ),
  };
}
