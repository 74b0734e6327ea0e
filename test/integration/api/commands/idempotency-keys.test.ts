import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Sequelize } from 'sequelize-typescript';
import { CommandIds } from '../../../../api/commands/command-id';
import { claimKey, isKept, knownKey } from '../../../../api/commands/idempotency';
import { Outcomes } from '../../../../api/commands/outcomes';
import { commandEndpoints } from '../../../../api/commands/routes';
import type { CommandDependencies } from '../../../../api/commands/carry-out';
import { createSendCommand } from '../../../../api/commands/send';
import type { Waiters } from '../../../../api/commands/waiters';
import type { Endpoint, Input } from '../../../../api/http/endpoint';
import { createMemoryCache } from '../../../../shared/cache/memory';
import { services } from '../../../../shared/services';
import { CommandOutcome, IdempotencyKey } from '../../../../shared/database/tables';
import { NotAccepted } from '../../../../shared/messaging/transport';
import { housekeeping } from '../../../../workers/jobs/housekeeping';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

/** What becomes of idempotency keys as time goes by. */

const BEGIN = Date.parse('2026-01-01T00:00:00Z');
const HOUR_MS = 3600 * 1000;
const ids = new CommandIds(randomBytes(32), services.commandTypes);
const actor = { userId: 7, username: 'ada', role: 'user', isAdmin: false } as const;
/** So many hours after the beginning; a minute before a full day is where keys used to end. */
const after = (hours: number): Date => new Date(BEGIN + hours * HOUR_MS);
/** Nobody asks with a wait. */
const NOBODY_WAITS = undefined as unknown as Waiters;
const ALMOST_A_DAY = 24 - 1 / 60;

describe.each(DIALECTS)('an idempotency key on %s', (dialect) => {
  let database: Sequelize;
  beforeEach(async () => {
    database = await emptyDatabase(dialect);
  });

  const request = {
    userId: 7,
    method: 'POST',
    path: '/api/borrows',
    key: 'k',
    content: [{}, { bookInfoId: 1 }],
  };
  const newId = (hours: number) => ids.make('lending.borrow-book', 7, after(hours).getTime());
  const claim = (hours: number) => claimKey(ids, request, newId(hours), after(hours));
  const end = (commandId: string) =>
    CommandOutcome.create({
      commandId,
      type: 'lending.borrow-book',
      ownerId: 7,
      requestId: 'r',
      ending: JSON.stringify({ status: 'succeeded', created: true, result: '{}' }),
      createdAt: after(0),
      completedAt: after(0),
    });
  /** What GET /api/commands/{id} answers at that time: its status, or the code of its problem. */
  const asked = async (commandId: string, hours: number): Promise<string> => {
    const now = () => after(hours);
    const [status] = commandEndpoints({
      ids,
      now,
      results: [],
      outcomes: new Outcomes(createMemoryCache()),
      waiters: NOBODY_WAITS,
    }) as [Extract<Endpoint, { kind: 'read' }>];
    const input = { params: { command: commandId }, query: {}, actor } as unknown as Input<
      never,
      never
    >;
    try {
      return (JSON.parse((await status.handle(input)).json ?? '{}') as { status: string }).status;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  /** Until nothing is left to be done. */
  const keepHouse = async (hours: number) => {
    while (
      await housekeeping(() => after(hours), { eventDays: 7, auditDays: 365, noticeDays: 90 }).run()
    );
  };

  it('expires, and the same request is then a new command', async () => {
    const first = await claim(0);
    expect(await claim(1)).toBe(first);
    const later = await claim(27);
    expect(later).not.toBe(first);
    expect(await claim(28)).toBe(later);
    expect(await IdempotencyKey.count()).toBe(1);
  });

  it('that is repeated shortly before it expires is kept for another day', async () => {
    const first = await claim(0);
    expect(await claim(ALMOST_A_DAY)).toBe(first);
    await keepHouse(40);
    expect(await asked(first, 40)).toBe('queued');
    expect(await claim(ALMOST_A_DAY + 23.9)).toBe(first);
  });

  it('keeps the outcome of its command as long as it lives, and no longer', async () => {
    const first = await claim(0);
    await end(first);
    await claim(ALMOST_A_DAY);
    await keepHouse(40);
    expect(await asked(first, 40)).toBe('succeeded');
    await keepHouse(60);
    expect([
      await IdempotencyKey.count(),
      await CommandOutcome.count(),
      await asked(first, 60),
    ]).toEqual([0, 0, 'COMMAND_NOT_FOUND']);
  });

  it('that comes together with others is stored with them, and stands for its own command', async () => {
    const statements: string[] = [];
    database.options.logging = (sql: string) => statements.push(sql);
    const keys = Array.from({ length: 150 }, (_, index) => `k${index}`);
    const made = keys.map(() => newId(0));
    const claimed = await Promise.all(
      keys.map((key, index) => claimKey(ids, { ...request, key }, made[index]!, after(0))),
    );
    expect(claimed).toEqual(made);
    expect(statements.filter((sql) => sql.includes('INSERT'))).toHaveLength(2);
    const again = [...keys, 'new'].map((key) =>
      claimKey(ids, { ...request, key }, newId(1), after(1)),
    );
    const twice = { ...request, key: 'new', content: 'another' };
    const [results, refused] = await Promise.all([
      Promise.all(again),
      claimKey(ids, twice, newId(1), after(1)).catch((error: unknown) => error),
    ]);
    expect(results.slice(0, -1)).toEqual(made);
    expect(refused).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('that nobody sends again keeps its command for a day and no longer', async () => {
    const first = await claim(0);
    expect(await asked(first, ALMOST_A_DAY)).toBe('queued');
    expect(await asked(first, 26)).toBe('COMMAND_NOT_FOUND');
    expect([await isKept(first, after(24)), await isKept(first, after(26))]).toEqual([true, false]);
  });

  it('is not stored by a mere look-up', async () => {
    expect(await knownKey(ids, request, after(0))).toBeNull();
    expect(await IdempotencyKey.count()).toBe(0);
  });

  it('is not written down, nor is anything asked of the database, where there is no room for the command', async () => {
    const statements: string[] = [];
    database.options.logging = (sql) => statements.push(sql);
    const dependencies = {
      sender: {
        replyTo: 'test',
        mustHaveRoom: () => {
          throw new NotAccepted('full');
        },
        send: () => Promise.reject(new NotAccepted('full')),
      },
      ids,
      now: () => after(0),
      waitMs: 0,
    } as unknown as CommandDependencies;
    const input = {
      actor,
      query: {},
      body: {},
      sent: [{}, {}],
      url: '/api/borrows',
      header: () => undefined,
    } as unknown as Input;
    const sent = {
      method: 'POST',
      headersDistinct: { 'idempotency-key': ['k'] },
    } as unknown as Request;
    const send = createSendCommand(dependencies);
    const draft = {
      type: 'lending.borrow-book',
      key: 'book-info:1',
      payload: { bookInfoId: 1, bookId: null },
    } as const;
    await expect(
      send(
        input,
        () => draft,
        sent,
        { locals: {} } as unknown as Response,
        { type: draft.type } as never,
      ),
    ).rejects.toThrow(NotAccepted);
    expect(statements).toEqual([]);
  });
});
