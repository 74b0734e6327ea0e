import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import jwt from 'jsonwebtoken';
import { connectDatabase } from '../../shared/database/connect';
import { BookHold, BookUser } from '../../shared/lending/tables';
import { Caller } from '../support/clients/caller';
import { onCleanUp } from '../support/run/cleanup';
import { startServers, type System } from '../support/service/processes';
import { audit } from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

/** One copy, ten readers who want it, and workers that die in between. */

const READERS = 10;
const KILLS = 6;
/** Holds that end between two kills. */
const ENDS_BETWEEN_KILLS = 8;
const PICKUP_MS = 1500;
const DAY_MS = 24 * 3600 * 1000;

/**
 * A reader who does with the title whatever is possible, by chance: waits, borrows, gives up, lets
 * a copy lie, returns.
 */
class WilfulReader {
  private readonly token: string;
  ends = 0;

  constructor(
    private readonly caller: Caller,
    private readonly bookInfoId: number,
    secret: string,
  ) {
    const userId = 2 ** 42 + randomInt(2 ** 40);
    this.token = jwt.sign({ username: `wilful-${userId}`, role: 'user', isAdmin: false }, secret, {
      subject: String(userId),
      expiresIn: 3600,
    });
  }

  async turn(): Promise<void> {
    const { status, body } = await this.call('POST', `/api/book-infos/${this.bookInfoId}/holds`);
    if (status === 201) await this.wait(body['holdId'] as number);
    else if (body['code'] === 'STOCK_AVAILABLE') await this.borrow();
    else this.caller.violations.push(`hold: ${JSON.stringify({ status, body })}`);
  }

  private async wait(holdId: number): Promise<void> {
    const patience = randomInt(6) === 0 ? 200 : 60_000;
    for (const until = Date.now() + patience; Date.now() < until;) {
      const { body } = await this.call('GET', `/api/holds/${holdId}`);
      if (body['status'] === 'READY') return this.fetch(holdId);
      // On a busy machine the time to fetch the copy may pass between two looks.
      if (body['status'] === 'EXPIRED' && body['readyAt'] !== null) {
        this.ends += 1;
        return;
      }
      if (body['status'] !== 'WAITING')
        this.caller.violations.push(`hold ${holdId} ended by itself: ${JSON.stringify(body)}`);
      await pause(30);
    }
    await this.giveUp(holdId);
  }

  /**
   * A copy is set aside: mostly it is fetched, at times the hold is given up, at times it is left
   * to expire.
   */
  private async fetch(holdId: number): Promise<void> {
    const wish = randomInt(10);
    if (wish < 6) return this.borrow(true);
    if (wish < 8) return this.giveUp(holdId);
    await waitUntil(
      `hold ${holdId} expires`,
      60_000,
      async () => (await this.call('GET', `/api/holds/${holdId}`)).body['status'] === 'EXPIRED',
    );
    this.ends += 1;
  }

  private async giveUp(holdId: number): Promise<void> {
    const { status } = await this.call('DELETE', `/api/holds/${holdId}`);
    // It may have expired in the same moment.
    if (status === 204 || status === 404) this.ends += 1;
    else this.caller.violations.push(`giving up ${holdId}: ${status}`);
  }

  private async borrow(sure = false): Promise<void> {
    const { status, body } = await this.call('POST', '/api/borrows', {
      bookInfoId: this.bookInfoId,
    });
    if (status !== 201) {
      // Somebody else was faster, or the time to fetch it ended in the same moment.
      if (body['code'] !== 'OUT_OF_STOCK')
        this.caller.violations.push(`borrow: ${JSON.stringify(body)}`);
      return;
    }
    if (sure) this.ends += 1;
    await pause(randomInt(60));
    const returned = await this.call('POST', '/api/returns', { borrowId: body['borrowId'] });
    if (returned.status !== 200) this.caller.violations.push(`return: ${JSON.stringify(returned)}`);
  }

  private call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) {
    return this.caller.call(method, path, this.token, body);
  }
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly what: string;
}

const millis = (instant: Date | null): number => instant?.getTime() ?? Infinity;

/** What the rows say that must not be; empty when every copy went to the first in line. */
async function disorders(bookInfoId: number): Promise<string[]> {
  const found: string[] = [];
  const holds = await BookHold.findAll({ where: { bookInfoId }, order: ['lineNo'], raw: true });
  const borrows = await BookUser.findAll({ where: { bookInfoId }, raw: true });
  holds.forEach((later, index) => {
    if (!later.readyAt) return;
    const readyAt = millis(later.readyAt);
    const overtaken = holds
      .slice(0, index)
      .filter((earlier) => millis(earlier.readyAt) > readyAt && millis(earlier.closedAt) > readyAt);
    for (const earlier of overtaken)
      found.push(`hold ${later.id} was served before hold ${earlier.id}, which stood before it`);
    if (later.status === 'EXPIRED' && millis(later.closedAt) < millis(later.expiresAt))
      found.push(`hold ${later.id} expired before its time`);
  });
  const aside = holds
    .filter(({ readyAt }) => readyAt !== null)
    .map((hold): Span => ({
      from: millis(hold.readyAt),
      to: millis(hold.closedAt),
      what: `hold ${hold.id}`,
    }));
  const lent = borrows.map((borrow): Span => ({
    from: millis(borrow.borrowedAt),
    to: millis(borrow.returnedAt),
    what: `borrow ${borrow.id}`,
  }));
  const spans = [...aside, ...lent].sort((a, b) => a.from - b.from || a.to - b.to);
  spans.forEach((span, index) => {
    const next = spans[index + 1];
    if (next && next.from < span.to)
      found.push(`${next.what} had the copy while ${span.what} had it`);
  });
  for (const borrow of borrows) {
    const at = millis(borrow.borrowedAt);
    const fulfilled = holds.some(
      (hold) =>
        hold.status === 'FULFILLED' &&
        hold.userId === borrow.userId &&
        millis(hold.closedAt) === at,
    );
    const passed = holds.filter((hold) => millis(hold.placedAt) < at && millis(hold.closedAt) > at);
    if (!fulfilled && passed.length > 0)
      found.push(`borrow ${borrow.id} passed hold ${passed.map(({ id }) => id).join()}`);
  }
  return found;
}

describe('one copy, ten readers in line, and workers that are killed', () => {
  let system: System;

  beforeAll(async () => {
    system = await startServers({
      apis: 2,
      workers: 2,
      env: { HOLD_PICKUP_DAYS: String(PICKUP_MS / DAY_MS) },
    });
    const database = connectDatabase({ url: system.env.MYSQL_URL ?? '', poolMax: 2 });
    onCleanUp(() => database.close());
  });

  async function killWorkers(readers: readonly WilfulReader[]): Promise<void> {
    const alive = [...system.workers];
    const ends = () => readers.reduce((sum, reader) => sum + reader.ends, 0);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const until = ends() + ENDS_BETWEEN_KILLS;
      await waitUntil(
        `${ENDS_BETWEEN_KILLS} holds end after kill ${kill}`,
        120_000,
        () => ends() >= until,
      );
      const [victim] = alive.splice(randomInt(alive.length), 1);
      await victim?.kill();
      alive.push(await system.addWorker());
    }
  }

  it('the copy goes to the first in line each time, and to one reader at a time', async () => {
    const secret = system.env.JWT_SECRET ?? '';
    const admin = jwt.sign({ username: 'keeper', role: 'user', isAdmin: true }, secret, {
      subject: '9000000000',
      expiresIn: 3600,
    });
    const caller = new Caller(() => system.apis.map(({ url }) => url));
    const { body } = await caller.call('POST', '/api/book-infos', admin, {
      title: 'The only one',
      author: 'Someone',
      copies: 1,
    });
    const bookInfoId = body['bookInfoId'] as number;
    const readers = Array.from(
      { length: READERS },
      () => new WilfulReader(caller, bookInfoId, secret),
    );
    let done = false;
    const running = readers.map(async (reader) => {
      while (!done) await reader.turn();
    });
    try {
      await killWorkers(readers);
    } finally {
      done = true;
      await Promise.all(running);
    }
    expect(caller.violations).toEqual([]);
    expect(await disorders(bookInfoId)).toEqual([]);
    const kinds = await BookHold.findAll({
      attributes: ['status'],
      where: { bookInfoId },
      group: ['status'],
      raw: true,
    });
    expect(kinds.map(({ status }) => status)).toEqual(
      expect.arrayContaining(['FULFILLED', 'EXPIRED', 'CANCELLED']),
    );
    // Last, for it looks into the database by a connection of its own, to which the models then
    // belong.
    await audit(system.env);
  }, 600_000);
});
