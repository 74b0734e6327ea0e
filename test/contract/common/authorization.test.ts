import type { Response } from 'supertest';
import { MATRIX, TOKENLESS, type Ask } from '../../support/check/authorization-matrix';
import type { ApiDocument } from '../../support/check/document/api-document';
import type { FoundOperation } from '../../support/check/document/open-api';
import { expectListed } from '../../support/check/listed';
import { documentOf } from '../../support/check/document/served';
import { expectProblem } from '../../support/clients/problems';
import { newSecret } from '../../support/service/processes';
import { CALLERS, Scene, type CallerName } from '../../support/clients/scene';
import { target, type Target } from '../../support/service/target';
import { forge } from './helpers';

let lendline: Target;
let document: ApiDocument;
let scene: Scene;
beforeAll(async () => {
  lendline = await target();
  document = await documentOf(lendline.url);
  scene = new Scene(lendline);
  await scene.open();
});

function operation(id: string): FoundOperation {
  const found = document.operations().find(({ operation: { operationId } }) => operationId === id);
  if (!found) throw new Error(`the document has no operation ${id}`);
  return found;
}

const isStream = ({ operation: { responses } }: FoundOperation): boolean =>
  responses['200']?.content?.['text/event-stream'] !== undefined;

/** Streams are asked for their headers alone, because they would not end. */
async function call(
  found: FoundOperation,
  { params = {}, query = '', body }: Ask,
  token: string | undefined,
): Promise<Response> {
  const path = found.template.replace(/\{(\w+)\}/g, (_all, name: string) => String(params[name]));
  const method = isStream(found) ? 'head' : (found.method as 'get');
  const request = lendline.api()[method](`${path}${query}`);
  if (token !== undefined) request.set('Authorization', `Bearer ${token}`);
  return body === undefined || method === 'head' || found.method === 'get'
    ? request
    : request.send(body);
}

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
const administrator = () => ({
  sub: '1',
  username: 'admin',
  role: 'user',
  isAdmin: true,
  exp: inAnHour(),
});
const BAD_TOKENS: Readonly<Record<string, { code: string; make: () => string }>> = {
  'no token': { code: 'TOKEN_INVALID', make: () => 'x' },
  "an administrator's that has expired": {
    code: 'TOKEN_EXPIRED',
    make: () => lendline.token({ isAdmin: true, expiresIn: -10 }),
  },
  "an administrator's of another secret": {
    code: 'TOKEN_INVALID',
    make: () => forge({ alg: 'HS256', typ: 'JWT' }, administrator(), newSecret()),
  },
  "an administrator's without a signature": {
    code: 'TOKEN_INVALID',
    make: () => forge({ alg: 'none', typ: 'JWT' }, administrator()),
  },
};

it('has a row for every operation of the document, and for no other', () => {
  const ids = document.operations().map(({ operation: { operationId } }) => operationId);
  expectListed('test/support/check/authorization-matrix.ts', Object.keys(MATRIX), ids);
});

it('has for every operation what the document says of tokens', () => {
  const open = document
    .operations()
    .filter(({ operation }) => JSON.stringify(operation).includes('"security":[{},'))
    .map(({ operation: { operationId } }) => operationId);
  const bare = document
    .operations()
    .filter(({ operation }) => JSON.stringify(operation).includes('"security":[],'))
    .map(({ operation: { operationId } }) => operationId);
  const done = Object.entries(MATRIX).flatMap(([id, { told }]) => (told[0] === 401 ? [] : [id]));
  expect([...open, ...bare].sort()).toEqual(done.sort());
  expect(bare.sort()).toEqual([...TOKENLESS].sort());
});

describe.each(Object.entries(MATRIX))(
  '%s',
  (id, { told, ask = (): Promise<Ask> | Ask => ({}) }) => {
    const cases = CALLERS.map(
      (caller, index) => [caller, told[index]!] as [CallerName, (typeof told)[number]],
    );
    /** Made once for all who are refused, since they change nothing. */
    let untouched: Ask | undefined;
    const forRefused = async () => (untouched ??= await ask(scene, 'nobody'));

    it.each(cases)('tells %s: %s', async (caller, expected) => {
      const found = operation(id);
      const asked = await (expected === 'done' ? ask(scene, caller) : forRefused());
      const response = await call(found, asked, asked.token ?? scene.tokenOf(caller));
      const { status, body } = response;
      const seen = status < 300 ? 'done' : status;
      expect({ seen, body }).toEqual({ seen: expected, body });
      if (expected === 401 && !isStream(found)) expectProblem(response, 401, 'UNAUTHENTICATED');
      if (expected === 403 && !isStream(found)) expectProblem(response, 403, 'FORBIDDEN');
    });

    it.each(Object.entries(BAD_TOKENS))(
      'refuses a request whose token is %s',
      async (_name, { code, make }) => {
        const found = operation(id);
        const response = await call(found, await forRefused(), make());
        if (TOKENLESS.includes(id)) expect(response.status).toBe(200);
        else if (isStream(found)) expect(response.status).toBe(401);
        else expectProblem(response, 401, code);
      },
    );
  },
);
