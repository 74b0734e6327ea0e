import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import Joi from 'joi';
import { createAuthenticate } from '../../../api/http/security/authenticate';
import { tokenRules } from '../../../api/http/security/token-rules';
import type { Actor } from '../../../shared/command';
import { connectDatabase } from '../../../shared/database/connect';
import { id } from '../../../shared/fields';
import { ormRival, readTitle } from './orm';
import { procedureRival } from './procedure';
import type { Answer, RivalKind } from './rival';

/**
 * A rival: Express without a queue, with the same checks of token and body, on the same tables and
 * indexes. Configured by MYSQL_URL, JWT_SECRET, RIVAL_KIND and RIVAL_POOL (connections).
 */

const { MYSQL_URL = '', JWT_SECRET = '', RIVAL_KIND = 'lock', RIVAL_POOL = '16' } = process.env;
const kind = RIVAL_KIND as RivalKind;
const database = connectDatabase({
  url: MYSQL_URL,
  poolMax: Number(RIVAL_POOL),
  acquireMs: 30_000,
});
const rival =
  kind === 'lock' || kind === 'conditional'
    ? ormRival(kind, database)
    : procedureRival(MYSQL_URL, Number(RIVAL_POOL), kind === 'equal');
const authenticate = createAuthenticate(tokenRules({ secret: JWT_SECRET }));
const rules = Joi.object({ bookInfoId: id.required() });

type Work = (actor: Actor, bookInfoId: number, key: string | undefined) => Promise<Answer>;

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
        actor,
        value.bookInfoId,
        request.headers['idempotency-key'] as string | undefined,
      );
      response.status(status).json(body);
    }
  };
}

const app = express();
app.disable('x-powered-by').disable('etag').use(express.json());
app.post(
  '/api/borrows',
  handler((actor, bookInfoId, key) => rival.borrow(actor, bookInfoId, key)),
);
app.post(
  '/api/returns',
  handler((actor, bookInfoId) => rival.giveBack(actor, bookInfoId)),
);
app.get('/api/book-infos/:bookInfoId', async (request, response) => {
  const { error, value } = rules.validate({
    bookInfoId: Number(request.params.bookInfoId),
  }) as Joi.ValidationResult<{ bookInfoId: number }>;
  const { status, body } = error
    ? { status: 400, body: { status: 400, code: 'VALIDATION_FAILED', errors: error.details } }
    : await readTitle(value.bookInfoId);
  response.status(status).json(body);
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`,
  );
});
