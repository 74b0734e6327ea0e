import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { problemCodes, type KnownCode } from '../../../api/http/responses/problem-kinds';
import { ROOT, run } from '../../support/service/child';
import { temporaryFolder } from '../../support/run/cleanup';
import type { JsonSchema, Parameter } from '../../support/check/document/open-api';
import { documentOf } from '../../support/check/document/served';
import { target, type Target } from '../../support/service/target';

let lendline: Target;
beforeAll(async () => {
  lendline = await target();
});

/** How long the lint may take, milliseconds. */
const LINT_MS = 60_000;
/** Most bytes of the document for each of its operations. */
const BYTES_MAX = 1600;

/** Problems of requests that reach no operation. */
const BEFORE_ROUTING: readonly KnownCode[] = [
  'HEADERS_TOO_LARGE',
  'MALFORMED_REQUEST',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
];

/** All schemas in a part of the document. */
function schemasIn(part: unknown): JsonSchema[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = 'type' in part && 'properties' in part ? [part as JsonSchema] : [];
  return [...own, ...Object.values(part).flatMap(schemasIn)];
}

/** The names of the schemas whose members an object has as well. */
const basesOf = ({ allOf = [] }: JsonSchema): string[] =>
  (allOf as JsonSchema[]).map(({ $ref }) => String($ref).split('/').at(-1) ?? '');

/** What a linter from npm says of the document that the service serves. */
async function linted(name: string, cli: string, args: readonly string[]): Promise<string> {
  const { text } = await lendline.api().get('/openapi.json').expect(200);
  const file = join(await temporaryFolder('openapi'), 'openapi.json');
  await writeFile(file, text);
  const env = {
    PATH: process.env.PATH ?? '',
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  };
  return run({ name, command: process.execPath, args: [cli, 'lint', ...args, file], env }, LINT_MS);
}

describe('the document', () => {
  it('is without fault by the strict rules of Redocly', async () => {
    const cli = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js');
    const config = ['--config', join(ROOT, 'redocly.yaml'), '--format', 'stylish'];
    const output = await linted('redocly', cli, config);
    // Warnings count as well, and they do not fail the program.
    expect(output).toMatch(/Your API description is valid/);
    expect(output).not.toMatch(/You have \d+ warning/);
  });

  it('is without fault by the rules of Spectral', async () => {
    const cli = join(
      dirname(require.resolve('@stoplight/spectral-cli/package.json')),
      'dist/index.js',
    );
    const config = ['--ruleset', join(ROOT, 'spectral.yaml'), '--fail-severity', 'hint'];
    expect(await linted('spectral', cli, config)).toMatch(/No results/);
  });

  it('describes each parameter, with an example', async () => {
    const document = await documentOf(lendline.url);
    const bare = document.operations().flatMap(({ operation: { operationId, parameters = [] } }) =>
      parameters
        .map((parameter) => document.resolved<Parameter>(parameter))
        .filter(({ in: where }) => where !== 'header')
        .filter(({ description, example }) => !description || example === undefined)
        .map(({ name }) => `${operationId}: ${name}`),
    );
    expect(bare).toEqual([]);
  });

  it('has no password, token or key in an address', async () => {
    const document = await documentOf(lendline.url);
    const names = document.operations().flatMap(({ operation: { parameters = [] } }) =>
      parameters
        .map((parameter) => document.resolved<Parameter>(parameter))
        .filter(({ in: where }) => where === 'query' || where === 'path')
        .map(({ name }) => name),
    );
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => /password|token|secret|key|authorization/i.test(name))).toEqual(
      [],
    );
  });

  it('has no GET that sends a command', async () => {
    const document = await documentOf(lendline.url);
    const sending = document
      .operations()
      .filter(({ operation: { parameters = [], responses } }) =>
        [
          '202' in responses,
          parameters
            .map((parameter) => document.resolved<Parameter>(parameter))
            .some(({ name }) => name === 'Idempotency-Key'),
        ].includes(true),
      );
    expect(sending.length).toBeGreaterThan(30);
    const ids = sending.map(({ method, operation }) => `${method} ${operation.operationId}`);
    expect(ids.filter((id) => id.startsWith('get '))).toEqual([]);
  });

  it('stays small: what operations have in common stands there once', async () => {
    const { text, body } = await lendline.api().get('/openapi.json').expect(200);
    const { paths } = body as { readonly paths: Readonly<Record<string, object>> };
    const operations = Object.values(paths).flatMap(Object.keys);
    expect(Buffer.byteLength(text) / operations.length).toBeLessThanOrEqual(BYTES_MAX);
  });

  it('has a name for each refusal, of which generators make a type', async () => {
    const { text } = await lendline.api().get('/openapi.json').expect(200);
    const { paths } = JSON.parse(text) as {
      paths: Record<string, Record<string, { responses?: Record<string, object> }>>;
    };
    const unnamed = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses = {} }]) =>
        Object.entries(responses)
          .filter(([status, answer]) => Number(status) >= 400 && !('$ref' in answer))
          .map(([status]) => `${method} ${path} ${status}`),
      ),
    );
    expect(unnamed).toEqual([]);
  });

  it('has an operation that ends in each problem', async () => {
    const { json } = await documentOf(lendline.url);
    const answers = Object.values(json.paths).flatMap((path) =>
      Object.values(path).map(({ responses }) => responses),
    );
    const text = JSON.stringify([json.components, answers]);
    const unnamed = problemCodes.filter(
      (code) => !BEFORE_ROUTING.includes(code) && !text.includes(`"${code}"`),
    );
    expect(unnamed.map((code) => `no operation has ${code} among its problems`)).toEqual([]);
  });

  it('is the same at every API, and has its version from package.json', async () => {
    const all = await Promise.all(lendline.urls.map(async (url) => (await documentOf(url)).json));
    for (const one of all) expect(one).toEqual(all[0]);
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(all[0]).toMatchObject({ openapi: '3.1.1', info: { version } });
  });

  it('closes every object that clients get', async () => {
    const { json } = await documentOf(lendline.url);
    const { schemas } = json.components;
    // What several objects have in common is closed in each of them.
    const common = new Set(Object.values(schemas).flatMap(basesOf));
    expect(common).toContain('Page');
    const open = Object.entries(schemas)
      .filter(([name]) => !common.has(name))
      .flatMap(([, schema]) => schemasIn(schema))
      .filter(
        (schema) =>
          schema['additionalProperties'] !== false && schema['unevaluatedProperties'] !== false,
      );
    expect(open).toEqual([]);
  });

  it('has an ETag, and is not sent again to who has it', async () => {
    const { etag } = (await lendline.api().get('/openapi.json').expect(200)).headers;
    await lendline.api().get('/openapi.json').set('If-None-Match', etag!).expect(304);
  });
});
