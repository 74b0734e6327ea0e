/** Parts that stand in the document twice or more become components, which operations refer to. */

export interface Operation {
  readonly operationId: string;
  parameters?: object[];
  readonly responses: Record<string, object>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema?: unknown }>>;
}

/** A part of an operation that can be replaced by a reference. */
interface Place<Part> {
  readonly part: Part;
  readonly refer: (reference: object) => void;
}

/** Other answers below 300 hold what the operation is about, and stay in it. */
const isGeneral = (status: string): boolean =>
  status === '202' || status === '204' || Number(status) >= 300;

/** What answers without a problem are called. */
const STATUS_NAMES: Readonly<Record<string, string>> = {
  202: 'Promised',
  304: 'NotModified',
};

/** What an answer with such a header is called besides. */
const HEADER_NAMES: Readonly<Record<string, string>> = {
  'Preference-Applied': '',
  'X-Total-Count': 'List',
  ETag: 'Tagged',
  Link: '',
};

/** Replaces what is equal by references. `namesOf` names the parts that are left, each once. */
function share<Part extends object>(
  kind: string,
  places: readonly Place<Part>[],
  namesOf: (parts: readonly Part[]) => readonly string[],
): Record<string, Part> {
  const equal = new Map<string, Place<Part>[]>();
  for (const place of places) {
    const text = JSON.stringify(place.part);
    equal.set(text, [...(equal.get(text) ?? []), place]);
  }
  const repeated = [...equal.values()].filter(({ length }) => length > 1);
  const parts = repeated.flatMap(([first]) => (first ? [first.part] : []));
  const components: Record<string, Part> = {};
  namesOf(parts).forEach((name, index) => {
    const part = parts[index];
    if (!part) return;
    if (name in components) throw new Error(`two ${kind} are called ${name}`);
    components[name] = part;
    for (const { refer } of repeated[index] ?? []) refer({ $ref: `#/components/${kind}/${name}` });
  });
  return components;
}

/** `ALREADY_BORROWED` as a part of a name. */
const pascal = (code: string): string =>
  code.replace(
    /([A-Z])([A-Z]*)_?/g,
    (_all, first: string, rest: string) => first + rest.toLowerCase(),
  );

/** The codes of a refusal of its own. */
function codesOf({ content }: Answer): readonly string[] {
  const schema = content?.['application/problem+json']?.schema as
    { allOf: [object, { properties: { code: { enum: readonly string[] } } }] } | undefined;
  return schema?.allOf[1].properties.code.enum ?? [];
}

const headersOf = ({ headers = {} }: Answer): readonly string[] => Object.keys(headers);

/** The codes of a refusal; else the status, or the first word of the description; with headers. */
function answerName(status: string, answer: Answer): string {
  const codes = codesOf(answer).map(pascal);
  if (codes.length > 0) return codes.join('Or');
  const [word = ''] = /\w+/.exec(answer.description) ?? [];
  const headers =
    status === '202' ? [] : headersOf(answer).map((header) => HEADER_NAMES[header] ?? header);
  return [STATUS_NAMES[status] ?? word, ...headers].join('');
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
  const statuses = [...new Set(operations.flatMap(({ responses }) => Object.keys(responses)))];
  const answers = statuses.filter(isGeneral).map((status) => {
    const places = operations.flatMap(({ responses }) => {
      const part = responses[status];
      return part
        ? [{ part: part as Answer, refer: (to: object) => (responses[status] = to) }]
        : [];
    });
    return share('responses', places, (parts) => parts.map((part) => answerName(status, part)));
  });
  return {
    parameters: share(
      'parameters',
      parameters.filter(({ part }) => isOwn(part)),
      (parts) => parts.map(({ name, in: where }) => `${name}In${pascal(where.toUpperCase())}`),
    ),
    responses: Object.assign({}, ...answers) as Record<string, object>,
  };
}
