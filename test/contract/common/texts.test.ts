import { Random } from '../../simulation/random';
import { MATRIX } from '../../support/check/authorization-matrix';
import type { ApiDocument } from '../../support/check/document/api-document';
import type { FoundOperation, JsonSchema, Parameter } from '../../support/check/document/open-api';
import { documentOf } from '../../support/check/document/served';
import { KnownIds } from '../../support/fixtures/fuzz/known-ids';
import { Values } from '../../support/fixtures/fuzz/values';
import { Scene } from '../../support/clients/scene';
import { target, type Target } from '../../support/service/target';

/** Texts that a database would keep in another form are refused wherever a request has a text. */

const CUT = 'a\u0000b';
const HALF_A_PAIR = 'a\ud800b';
const random = new Random(20_261_124);
const known = new KnownIds(random);

let lendline: Target;
let document: ApiDocument;
let values: Values;
let scene: Scene;

beforeAll(async () => {
  lendline = await target();
  document = await documentOf(lendline.url);
  values = new Values(document, random, (name) => known.pick(name));
  scene = new Scene(lendline);
  await scene.open();
  const [bookInfoId, borrowId, holdId, postId, courseId, command, copy] = await Promise.all([
    scene.title(3),
    scene.borrow(),
    scene.hold(),
    scene.post({}),
    scene.takenCourse(),
    scene.command(),
    scene.copy(),
  ]);
  known.learn([
    {
      bookInfoId,
      borrowId,
      holdId,
      postId,
      courseId,
      commandId: command,
      userId: scene.user.userId,
      tags: ['text'],
    },
    copy,
  ]);
});

const isText = ({ type, $ref }: JsonSchema): boolean =>
  $ref === undefined && [type].flat().includes('string');

/**
 * The text in every place of a schema where one may stand, each with the field's name and the value
 * around it.
 */
function placesOf(schema: JsonSchema, text: string): { field: string; value: unknown }[] {
  const {
    type,
    properties = {},
    items,
  } = schema as { properties?: Record<string, JsonSchema>; items?: JsonSchema } & JsonSchema;
  const { oneOf } = schema as { oneOf?: readonly JsonSchema[] };
  if (oneOf) return oneOf.flatMap((one) => placesOf(one, text));
  if (isText(schema)) return [{ field: '', value: text }];
  if (type === 'array' && items)
    return placesOf(items, text).map(({ field, value }) => ({
      field: field === '' ? '.0' : `[0]${field}`,
      value: [value],
    }));
  return Object.entries(properties).flatMap(([name, inner]) => {
    const others = values.valid(schema) as Record<string, unknown>;
    return placesOf(inner, text).map(({ field, value }) => ({
      field: `.${name}${field}`,
      value: { ...others, [name]: value },
    }));
  });
}

interface Sent {
  readonly field: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Requests with the text in one place each: of the path, of the query, of the body. */
function requestsWith(
  found: FoundOperation,
  text: string,
  places: readonly ('path' | 'query' | 'body')[],
): Sent[] {
  const { template, operation } = found;
  const parameters = (operation.parameters ?? []).map((parameter) =>
    document.resolved<Parameter>(parameter),
  );
  const pathWith = (field?: string): string =>
    template.replace(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(name === field ? text : String(known.pick(name) ?? 1)),
    );
  const body = operation.requestBody?.content['application/json']?.schema;
  const sound = body && { body: values.valid(body) };
  const requests: Sent[] = [];
  for (const { name, in: place, schema } of parameters) {
    if (place === 'path' && places.includes('path') && isText(schema))
      requests.push({ field: name, path: pathWith(name), ...sound });
    // Every value of a query is a text when it arrives.
    if (place === 'query' && places.includes('query'))
      requests.push({
        field: name,
        path: `${pathWith()}?${name}=${encodeURIComponent(text)}`,
        ...sound,
      });
  }
  if (!body || !places.includes('body')) return requests;
  return [
    ...requests,
    ...placesOf(body, text).map(({ field, value }) => ({
      field: field.slice(1),
      path: pathWith(),
      body: value,
    })),
  ];
}

async function notRefused(
  found: FoundOperation,
  requests: readonly Sent[],
  rule: string,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const { field, path, body } of requests) {
    const headers = {
      authorization: `Bearer ${scene.tokenOf('admin') ?? ''}`,
      'content-type': 'application/json',
    };
    const response = await fetch(`${lendline.url}${path}`, {
      method: found.method.toUpperCase(),
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { code, errors = [] } = (response.status === 400 ? JSON.parse(text) : {}) as {
      code?: string;
      errors?: { field: string; code: string; message: string }[];
    };
    const isNamed = errors.some(
      (error) =>
        error.field === field &&
        error.code === 'INVALID_FORMAT' &&
        error.message === `${field} ${rule}`,
    );
    if (code !== 'VALIDATION_FAILED' || !isNamed)
      wrong.push(`${field} ${path}: ${response.status} ${text.slice(0, 300)}`);
  }
  return wrong;
}

const operation = (id: string) =>
  document.operations().find(({ operation: { operationId } }) => operationId === id)!;

it.each(Object.keys(MATRIX))('%s refuses U+0000 in each of its texts by the field', async (id) => {
  const found = operation(id);
  const requests = requestsWith(found, CUT, ['path', 'query', 'body']);
  expect(await notRefused(found, requests, 'must not contain the character U+0000')).toEqual([]);
});

it.each(Object.keys(MATRIX))(
  '%s refuses half of a surrogate pair in each text of its body by the field',
  async (id) => {
    const found = operation(id);
    expect(
      await notRefused(
        found,
        requestsWith(found, HALF_A_PAIR, ['body']),
        'must be well-formed Unicode',
      ),
    ).toEqual([]);
  },
);
