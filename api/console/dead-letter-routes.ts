import Joi from 'joi';
import { Op } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import {
  deleteDeadLetters,
  earlierFailures,
  deadLetterSummary,
  releaseDeadLetters,
  shownContent,
  type DeadLetterAudit,
} from '../../shared/database/dead-letters';
import { createAuditLog } from '../../shared/audit/log';
import type { Now } from '../../shared/database/clock';
import { DeadLetter } from '../../shared/database/dead-letter-tables';
import { line } from '../../shared/fields';
import type { Logger } from '../../shared/logger';
import type { Services } from '../../shared/service';
import type { Answer, Endpoint, Input } from '../http/endpoint';
import { Problem } from '../http/responses/problem';
import { queryId, queryInteger } from '../http/requests/query-rules';
import { noContent, shown } from '../openapi/doc';
import { AGGREGATE_LENGTH_MAX, SIZE_DEFAULT, SIZE_MAX } from './limits';
import { deadLetterDetail, deadLetterList, replayed, type DeadLetterView } from './schemas';

/**
 * Dead letters, as an operator sees them who has a browser and no shell. They are safe to use at
 * the same time as the operator's commands.
 */

/** Most dead letters that one replay releases. The next replay takes those behind them. */
const RELEASED_MAX = 200;

export interface DeadLetterOptions {
  readonly services: Pick<Services, 'decode'>;
  readonly database: Sequelize;
  readonly now: Now;
  readonly logger: Logger;
}

interface ListQuery {
  readonly aggregate?: string;
  readonly after?: number;
  readonly size: number;
}

const letterId = (input: Input): number => input.params['letterId'] as number;

const notFound = (letter: number): Problem =>
  new Problem(
    'DEAD_LETTER_NOT_FOUND',
    `There is no dead letter ${letter}. It may have been replayed or discarded.`,
  );

async function deadLetterOf(input: Input): Promise<DeadLetter> {
  const letter = await DeadLetter.findByPk(letterId(input));
  if (!letter) throw notFound(letterId(input));
  return letter;
}

/** Letters, each with how often its command was tried. */
async function viewsOf(letters: readonly DeadLetter[], now: Date): Promise<DeadLetterView[]> {
  const earlier = await earlierFailures(letters.map(({ commandId }) => commandId));
  return letters.map((letter) => {
    const failures = [...(earlier.get(letter.commandId) ?? []), letter];
    return {
      ...deadLetterSummary(letter, now),
      attempts: failures.filter(({ parked }) => !parked).length,
    };
  });
}

/** Audits what the sender of a request does to dead letters. */
const auditOf = (
  { now, logger }: DeadLetterOptions,
  { actor, address, requestId }: Input,
  action: string,
): DeadLetterAudit => ({
  entryFor: (changed) => ({ at: now(), actor, action, ...changed, address, requestId }),
  log(entry) {
    createAuditLog(logger)([entry]);
  },
});

const list = ({ now }: DeadLetterOptions): Endpoint => ({
  method: 'get',
  path: '/api/console/dead-letters',
  who: 'admin',
  kind: 'read',
  query: Joi.object({
    aggregate: line(AGGREGATE_LENGTH_MAX),
    after: queryId(),
    size: queryInteger({ min: 1, max: SIZE_MAX, clamp: true }).default(SIZE_DEFAULT),
  }),
  doc: {
    id: 'listDeadLetters',
    tag: 'Console',
    summary: 'Commands that could not be carried out',
    description: 'Oldest first. `next` is the `after` of the next page.',
    answers: shown(deadLetterList),
  },
  handle: async ({ query: { aggregate, after = 0, size } }: Input<unknown, ListQuery>) => {
    const where = {
      ...(aggregate !== undefined && { aggregateKey: aggregate }),
      seq: { [Op.gt]: after },
    };
    const rows = await DeadLetter.findAll({
      where,
      attributes: { exclude: ['content'] },
      order: ['seq'],
      limit: size + 1,
    });
    const items = await viewsOf(rows.slice(0, size), now());
    return {
      status: 200,
      body: { items, next: rows.length > size ? (items.at(-1)?.letter ?? null) : null },
    };
  },
});

const detail = ({ now }: DeadLetterOptions): Endpoint => ({
  method: 'get',
  path: '/api/console/dead-letters/:letterId',
  who: 'admin',
  kind: 'read',
  doc: {
    id: 'getDeadLetter',
    tag: 'Console',
    summary: 'One dead letter, with secrets masked',
    answers: shown(deadLetterDetail),
    problems: ['DEAD_LETTER_NOT_FOUND'],
  },
  handle: async (input: Input) => {
    const letter = await deadLetterOf(input);
    const [view] = await viewsOf([letter], now());
    return {
      status: 200,
      body: {
        ...view,
        content: JSON.stringify(Object.values(shownContent(letter.content))[0], null, 2),
      },
    };
  },
});

/**
 * Returns the numbers of the dead letters that a replay releases: those of the aggregate, up to the
 * first that is no command.
 */
async function replayable(letter: DeadLetter, decode: Services['decode']): Promise<number[]> {
  const { aggregateKey } = letter;
  const letters =
    aggregateKey === null
      ? [letter]
      : await DeadLetter.findAll({
          where: { aggregateKey },
          attributes: ['seq', 'content'],
          order: ['seq'],
          limit: RELEASED_MAX,
        });
  // Somebody else has replayed or discarded them meanwhile.
  if (letters.length === 0) throw notFound(letter.seq);
  const readable = letters.map(({ content }) => 'envelope' in decode(content));
  const end = readable.indexOf(false);
  const numbers = letters.slice(0, end < 0 ? letters.length : end).map(({ seq }) => seq);
  if (numbers.length === 0)
    throw new Problem(
      'DEAD_LETTER_UNREADABLE',
      `Dead letter ${letters[0]?.seq} is not a command of this version. It can only be discarded.`,
    );
  return numbers;
}

const replay = (options: DeadLetterOptions): Endpoint => ({
  method: 'post',
  path: '/api/console/dead-letters/:letterId/replay',
  who: 'admin',
  kind: 'read',
  doc: {
    id: 'replayDeadLetters',
    tag: 'Console',
    summary: 'Replay the dead letters of an aggregate',
    description: `Replays the dead letters of the aggregate in their order, at most ${RELEASED_MAX}, beginning with the first. Workers carry out each one once, and it leaves the list. One that fails again keeps those behind it.`,
    answers: {
      202: { description: 'Released, and on their way to their queue.', schema: replayed },
    },
    problems: ['DEAD_LETTER_NOT_FOUND', 'DEAD_LETTER_UNREADABLE'],
  },
  handle: async (input: Input): Promise<Answer> => {
    const letter = await deadLetterOf(input);
    const { database, services } = options;
    const letters = await replayable(letter, services.decode);
    const audit = auditOf(options, input, 'console.replay-dead-letters');
    await releaseDeadLetters(database, letters, audit);
    return { status: 202, body: { aggregate: letter.aggregateKey, letters } };
  },
});

const discard = (options: DeadLetterOptions): Endpoint => ({
  method: 'delete',
  path: '/api/console/dead-letters/:letterId',
  who: 'admin',
  kind: 'read',
  doc: {
    id: 'discardDeadLetter',
    tag: 'Console',
    summary: 'Discard a dead letter',
    description:
      'Its command stays failed. With the last letter of its aggregate the quarantine ends.',
    answers: noContent('Removed.'),
    problems: ['DEAD_LETTER_NOT_FOUND', 'DEAD_LETTER_RELEASED'],
  },
  handle: async (input: Input) => {
    const { seq } = await deadLetterOf(input);
    const audit = auditOf(options, input, 'console.discard-dead-letter');
    const removed = await deleteDeadLetters(options.database, [seq], audit);
    if (removed === 0) {
      // It is gone, or it is being replayed.
      await deadLetterOf(input);
      throw new Problem('DEAD_LETTER_RELEASED', `Dead letter ${seq} is being replayed.`);
    }
    return { status: 204 };
  },
});

export function deadLetterEndpoints(options: DeadLetterOptions): Endpoint[] {
  return [list(options), detail(options), replay(options), discard(options)];
}
