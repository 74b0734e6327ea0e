import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import Joi from 'joi';
import type { Authenticate } from './security/authenticate';
import { sendAnswer } from './responses/answer';
import { ACCEPT_PATCH, readBody } from './requests/body';
import { CsvLists, wantsCsv } from './responses/csv-list';
import type { BodyBytes } from './requests/body-bytes';
import type { Draft, Endpoint, Input, StreamEndpoint, WriteEndpoint } from './endpoint';
import { checkFirstPassword, checkRole } from './security/access';
import { rememberUsers, type EnsureUser } from './security/known-users';
import { Problem, type Fault } from './responses/problem';
import { contextOf } from './request-context';
import { checkParams } from './requests/path-params';
import {
  checkEncoding,
  checkPart,
  rejectFaults,
  withPointers,
  withoutCoercion,
  type RuleContext,
} from './requests/validate';

/**
 * Makes routes of endpoints. The checks run in this order: path (404) and method (405), token
 * (401), role and path (403), media type and body (415, 413, 400), fields (400), then the endpoint.
 * Paths are matched as written: case counts, and so does a slash at the end.
 */

/**
 * Sends a command, waits for it and writes the response. `toDraft` may refuse. It is not called
 * when the answer is known already.
 */
export type SendCommand = (
  input: Input,
  toDraft: () => Promise<Draft> | Draft,
  request: Request,
  response: Response,
  endpoint: WriteEndpoint,
) => Promise<void>;

/** The same for many commands. What one of `toDrafts` throws is the answer to its item. */
export type SendBulk = (
  input: Input,
  toDrafts: readonly (() => Promise<Draft> | Draft)[],
  request: Request,
  response: Response,
) => Promise<void>;

export interface MountOptions {
  readonly endpoints: readonly Endpoint[];
  readonly authenticate: Authenticate;
  /** The same for a stream that stays open, without counting a request. */
  readonly authenticateAgain: Authenticate;
  /**
   * Makes the row of a user that the table lacks, once per user before a read. Workers do it for
   * writes.
   */
  readonly ensureUser: EnsureUser;
  /** What the bodies of requests may take. */
  readonly bodies: BodyBytes;
  readonly sendCommand: SendCommand;
  readonly sendBulk: SendBulk;
  readonly ruleContext: RuleContext;
}

/**
 * Orders paths of equal length: where they first differ, a static segment comes before a mixed one
 * (`:"userId"courses`), and that before a pure parameter.
 */
function precedence(path: string): string {
  const rank = (segment: string): string =>
    segment.startsWith(':') && !segment.includes('"') ? '2' : segment.includes(':') ? '1' : '0';
  return path.split('/').map(rank).join('');
}

/** Decoding errors of a path would otherwise depend on the route that meets them. */
function rejectMalformed(path: string): void {
  if (!path.includes('%')) return;
  try {
    decodeURIComponent(path);
  } catch {
    rejectFaults([
      { field: 'path', code: 'INVALID_FORMAT', message: 'the path must be percent-encoded UTF-8' },
    ]);
  }
}

/**
 * Answers a request whose method the path does not accept. OPTIONS lists the methods that it does.
 */
export function otherMethods(methods: readonly string[]): RequestHandler {
  const allowed = methods.map((method) => method.toUpperCase());
  const allow = [
    ...new Set([...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS']),
  ].join(', ');
  return (request, response) => {
    if (request.method !== 'OPTIONS') {
      throw new Problem('METHOD_NOT_ALLOWED', `This path accepts only ${allow}.`, {
        headers: { Allow: allow },
      });
    }
    const headers = { Allow: allow, ...(allowed.includes('PATCH') && ACCEPT_PATCH) };
    sendAnswer(request, response, { status: 204, headers });
  };
}

/**
 * Refuses a body where a write has none: nobody would follow what it says. The body of a read means
 * nothing.
 */
const NO_FIELDS = Joi.object({});

function countedAs({ signsIn, method }: Endpoint): 'reads' | 'writes' | 'signIns' {
  if (signsIn) return 'signIns';
  return method === 'get' ? 'reads' : 'writes';
}

interface Lists {
  readonly csvLists: CsvLists;
}

/** Lets the reader of an open stream be checked again. Where no token was needed, nothing is. */
function allowCheckAgain(
  endpoint: StreamEndpoint,
  request: Request,
  response: Response,
  authenticateAgain: Authenticate,
): void {
  const context = contextOf(response);
  if (!context.token) return;
  context.checkAgain = async () => {
    checkRole(endpoint, await authenticateAgain(request, response), request.params);
  };
}

/** Everything between the route and the endpoint's own function. */
function handlerOf(
  endpoint: Endpoint,
  { authenticate, ensureUser, bodies, ruleContext, csvLists, ...send }: MountOptions & Lists,
): RequestHandler {
  const bodyRules = endpoint.body ?? (endpoint.kind === 'write' ? NO_FIELDS : undefined);
  const bodySchema = bodyRules && withoutCoercion(bodyRules);

  const readInput = async (request: Request, response: Response): Promise<Input> => {
    const context = contextOf(response);
    context.route = endpoint.path;
    context.countsAs = countedAs(endpoint);
    const actor = await authenticate(request, response);
    context.actor = actor;
    checkFirstPassword(endpoint, context);
    checkRole(endpoint, actor, request.params);
    const given = bodySchema ? await readBody(request, response, bodies) : undefined;
    const faults: Fault[] = [];
    const params = checkParams(request.params as Record<string, string>, faults) as Input['params'];
    checkEncoding(request.originalUrl, faults);
    const query = checkPart('query', endpoint.query, request.query, ruleContext, faults);
    const inBody: Fault[] = [];
    const body = given && checkPart('body', bodySchema, given, ruleContext, inBody);
    rejectFaults([...faults, ...(given ? withPointers(inBody, given) : [])]);
    const header = (name: string): string | undefined =>
      request.headers[name] as string | undefined;
    return {
      params,
      query,
      body,
      sent: [request.query, given],
      actor,
      token: context.token ?? null,
      requestId: context.requestId,
      url: request.originalUrl,
      get address() {
        return request.ip ?? '';
      },
      header,
    };
  };

  /** The query of another page of the same list. */
  const queryAt = (request: Request, url: string): unknown => {
    const faults: Fault[] = [];
    const parse = request.app.get('query parser fn') as (text: string) => object;
    const query = checkPart(
      'query',
      endpoint.query,
      parse(/\?(.*)/s.exec(url)?.[1] ?? ''),
      ruleContext,
      faults,
    );
    rejectFaults(faults);
    return query;
  };

  return async (request, response) => {
    const input = await readInput(request, response);
    // Each endpoint types its input by its own schemas, which the compiler cannot follow to here.
    const checked = input as Input<never, never>;
    if (endpoint.kind === 'write')
      return send.sendCommand(input, () => endpoint.command(checked), request, response, endpoint);
    if (endpoint.kind === 'bulk')
      return send.sendBulk(input, endpoint.commands(checked), request, response);
    await ensureUser(input.actor);
    if (endpoint.kind === 'stream') {
      allowCheckAgain(endpoint, request, response, send.authenticateAgain);
      await endpoint.stream(checked, request, response);
    } else if (wantsCsv(endpoint, request, response))
      await csvLists.send(endpoint, response, async (url) =>
        endpoint.handle({ ...checked, url, query: queryAt(request, url) } as Input<never, never>),
      );
    else sendAnswer(request, response, await endpoint.handle(checked));
  };
}

const newRouter = (): Router => express.Router({ strict: true, caseSensitive: true });

/**
 * All endpoints. A path without parameters is looked up, and only one with parameters compared with
 * route after route.
 */
export function mountEndpoints(options: MountOptions): RequestHandler {
  const shared = {
    ...options,
    ensureUser: rememberUsers(options.ensureUser),
    csvLists: new CsvLists(),
  };
  const paths = [...new Set(options.endpoints.map(({ path }) => path))].sort((a, b) =>
    precedence(a).localeCompare(precedence(b)),
  );
  const fixed = new Map<string, Router>();
  const others = newRouter();
  for (const path of paths) {
    const endpoints = options.endpoints.filter((endpoint) => endpoint.path === path);
    const router = path.includes(':') ? others : newRouter();
    if (router !== others) fixed.set(path, router);
    const route = router.route(path);
    for (const endpoint of endpoints) route[endpoint.method](handlerOf(endpoint, shared));
    route.all(otherMethods(endpoints.map(({ method }) => method)));
  }
  return (request, response, next) => {
    rejectMalformed(request.path);
    (fixed.get(request.path) ?? others)(request, response, next);
  };
}
