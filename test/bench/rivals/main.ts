import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import Joi from 'joi';
import { createAuthenticate } from '../../../api/http/security/authenticate';
import { tokenRules } from '../../../api/http/security/token-rules';
import { connectDatabase } from '../../../shared/database/connect';
import { id } from '../../../shared/fields';
import { ormRival, readTitle } from './orm';
import { packetRival } from './packet';
import { postgresRival } from './postgres';
import { procedureRival, type Order } from './procedure';
import { queueRival, workOnQueue, type QueueKind } from './queues';
import type { Answer, QueueRival, Reader, Rival, RivalKind } from './rival';

/**
 * A rival: Express without a queue, or with another one, with the same checks of token and body.
 * Configured by RIVAL_KIND, DATABASE_URL, JWT_SECRET and RIVAL_POOL (connections). A queue on Redis
 * has a REDIS_URL, Restate a RESTATE_URL and the RESTATE_PORT of its worker. With RIVAL_ROLE=worker
 * it is the worker of a queue, which with RIVAL_KEYS=none borrows without idempotency keys.
 */

const {
  DATABASE_URL = '',
  REDIS_URL = '',
  RESTATE_URL = '',
  RESTATE_PORT = '',
  JWT_SECRET = '',
  RIVAL_KIND = 'lock',
  RIVAL_ROLE = 'api',
  RIVAL_KEYS = 'all',
} = process.env;
const kind = RIVAL_KIND as RivalKind;
const connections = Number(process.env.RIVAL_POOL ?? 16);

/** The models of the rivals on MySQL. */
const connectOrm = () =>
  connectDatabase({ url: DATABASE_URL, poolMax: connections, acquireMs: 30_000 });

function procedure(order: Order, hasEqualPromises: boolean): Rival {
  connectOrm();
  return procedureRival({ url: DATABASE_URL, connections, order, hasEqualPromises });
}

function packet(order: Order, hasEqualPromises: boolean): Rival {
  connectOrm();
  return packetRival({ url: DATABASE_URL, connections, order, hasEqualPromises });
}

function queue(name: QueueKind): Rival {
  connectOrm();
  return queueRival(name, REDIS_URL, readTitle);
}

async function restate(): Promise<Rival> {
  connectOrm();
  return (await import('./restate.ts')).restateRival(RESTATE_URL, readTitle);
}

const ofPostgres = (hasEqualPromises: boolean): Rival =>
  postgresRival(DATABASE_URL, connections, hasEqualPromises);

/** Reads titles without a queue. */
function readPostgres(): Rival['read'] {
  const rival = ofPostgres(false);
  return (bookInfoId) => rival.read(bookInfoId);
}

/** What only some of them need is loaded by those alone. */
const MAKERS: Readonly<Record<RivalKind, () => Rival | Promise<Rival>>> = {
  lock: () => ormRival('lock', connectOrm()),
  conditional: () => ormRival('conditional', connectOrm()),
  procedure: () => procedure('copy first', false),
  equal: () => procedure('copy first', true),
  stockFirst: () => procedure('stock first', false),
  stockFirstEqual: () => procedure('stock first', true),
  packet: () => packet('copy first', false),
  packetEqual: () => packet('copy first', true),
  packetStockFirst: () => packet('stock first', false),
  packetStockFirstEqual: () => packet('stock first', true),
  postgres: () => ofPostgres(false),
  postgresEqual: () => ofPostgres(true),
  bullmq: () => queue('bullmq'),
  groupmq: () => queue('groupmq'),
  pgboss: async () =>
    (await import('./pg-boss.ts')).pgBossRival(DATABASE_URL, connections, readPostgres()),
  restate,
  dbos: async () =>
    (await import('./dbos.ts')).dbosRival(DATABASE_URL, connections, readPostgres()),
};

const hasKeys = RIVAL_KEYS !== 'none';
const ofJobs = (): Rival => procedure('stock first', hasKeys);

const WORKERS: Readonly<Record<QueueRival, () => Promise<void>>> = {
  bullmq: () => workOnQueue('bullmq', REDIS_URL, ofJobs()),
  groupmq: () => workOnQueue('groupmq', REDIS_URL, ofJobs()),
  pgboss: async () => (await import('./pg-boss.ts')).workOnPgBoss(DATABASE_URL),
  restate: async () => (await import('./restate.ts')).workOnRestate(Number(RESTATE_PORT), ofJobs()),
  dbos: async () => (await import('./dbos.ts')).workOnDbos(DATABASE_URL, hasKeys),
};

const authenticate = createAuthenticate(tokenRules({ secret: JWT_SECRET }));
const rules = Joi.object({ bookInfoId: id.required() });

type Work = (reader: Reader, bookInfoId: number, key: string | undefined) => Promise<Answer>;

function handler(work: Work) {
  return async (request: Request, response: Response) => {
    const actor = await authenticate(request, response);
    const { value, error } = rules.validate(request.body, {
      abortEarly: false,
    }) as Joi.ValidationResult<{ bookInfoId: number }>;
    if (error)
      response.status(400).json({ status: 400, code: 'VALIDATION_FAILED', errors: error.details });
    else if (actor.userId === null)
      response.status(401).json({ status: 401, code: 'UNAUTHENTICATED' });
    else {
      const { status, body } = await work(
        { userId: actor.userId, username: actor.username },
        value.bookInfoId,
        request.headers['idempotency-key'] as string | undefined,
      );
      response.status(status).json(body);
    }
  };
}

function serve(rival: Rival): void {
  const app = express();
  app.disable('x-powered-by').disable('etag').use(express.json());
  const accepted = handler(async (reader, bookInfoId) => {
    await rival.put?.(reader, bookInfoId);
    return { status: 202, body: {} };
  });
  const borrowed = handler((reader, bookInfoId, key) => rival.borrow(reader, bookInfoId, key));
  app.post('/api/borrows', (request, response) =>
    request.headers.prefer === 'respond-async' && rival.put
      ? accepted(request, response)
      : borrowed(request, response),
  );
  app.post(
    '/api/returns',
    handler((reader, bookInfoId) => rival.giveBack(reader, bookInfoId)),
  );
  app.get('/api/book-infos/:bookInfoId', async (request, response) => {
    const { error, value } = rules.validate({
      bookInfoId: Number(request.params.bookInfoId),
    }) as Joi.ValidationResult<{ bookInfoId: number }>;
    const { status, body } = error
      ? { status: 400, body: { status: 400, code: 'VALIDATION_FAILED', errors: error.details } }
      : await rival.read(value.bookInfoId);
    response.status(status).json(body);
  });
  const server = app.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
  });
}

if (RIVAL_ROLE === 'worker')
  void WORKERS[kind as QueueRival]().then(() => {
    process.stdout.write(`${JSON.stringify({ url: 'none' })}\n`);
  });
else void Promise.resolve(MAKERS[kind]()).then(serve);
