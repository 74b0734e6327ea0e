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
import type { Answer, Reader, Rival, RivalKind } from './rival';

/**
 * A rival: Express without a queue, or with another one, with the same checks of token and body.
 * Configured by RIVAL_KIND, DATABASE_URL, REDIS_URL (of the queues), JWT_SECRET and RIVAL_POOL
 * (connections). With RIVAL_ROLE=worker it is the worker of a queue.
 */

const {
  DATABASE_URL = '',
  REDIS_URL = '',
  JWT_SECRET = '',
  RIVAL_KIND = 'lock',
  RIVAL_ROLE = 'api',
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

const MAKERS: Readonly<Record<RivalKind, () => Rival>> = {
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
  postgres: () => postgresRival(DATABASE_URL, connections, false),
  postgresEqual: () => postgresRival(DATABASE_URL, connections, true),
  bullmq: () => queue('bullmq'),
  groupmq: () => queue('groupmq'),
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
  app.post(
    '/api/borrows',
    handler((reader, bookInfoId, key) => rival.borrow(reader, bookInfoId, key)),
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
  void workOnQueue(kind as QueueKind, REDIS_URL, procedure('stock first', true)).then(() => {
    process.stdout.write(`${JSON.stringify({ url: 'none' })}\n`);
  });
else serve(MAKERS[kind]());
