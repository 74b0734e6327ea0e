import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import jwt from 'jsonwebtoken';
import { Caller, type Answer, type Call } from './caller';
import { OrderProbe } from '../check/order-probe';
import { onCleanUp } from '../run/cleanup';
import { TOKEN_LIFE_S } from '../service/target';

/**
 * Clients that borrow and return as fast as they are answered, each for a user of its own, while a
 * test kills what serves them. A client knows by its answers what it must hold; whatever
 * contradicts that is a violation.
 */

export interface StormOptions {
  /** Addresses to call; asked anew for each try. */
  readonly urls: () => readonly string[];
  readonly secret: string;
  readonly titles: readonly number[];
  readonly clients: number;
  /** An administrator's token, for those who rename titles. */
  readonly admin: string;
  /** How long one call may take until its final answer, milliseconds. */
  readonly callMs?: number;
  /** Between two calls of a client, milliseconds; none unless given. */
  readonly pauseMs?: number;
}

/** So many titles are renamed all the time, to see that commands take effect in their order. */
const PROBES = 3;

export class Storm {
  /** Finished calls. */
  answered = 0;
  readonly borrowIds = new Set<number>();
  /** What each client holds by the answers it got: title to borrow, by user id. */
  readonly holdings = new Map<number, Map<number, number>>();
  private stopped = false;
  private running: Promise<unknown> = Promise.resolve();

  readonly probes: readonly OrderProbe[];
  private readonly caller: Caller;

  constructor(private readonly options: StormOptions) {
    this.caller = new Caller(options.urls, options.callMs);
    this.probes = options.titles
      .slice(0, PROBES)
      .map((bookInfoId) => new OrderProbe(this.caller, bookInfoId, options.admin));
  }

  /** Calls that had to be sent more than once, because their first fate was unknown. */
  get repeated(): number {
    return this.caller.repeated;
  }

  /** Returns every write of the clients and the probes, with its answer. */
  get calls(): readonly Call[] {
    return this.caller.calls;
  }

  /** Returns the addresses that are called by now. */
  get urls(): readonly string[] {
    return this.options.urls();
  }

  get violations(): string[] {
    return this.caller.violations;
  }

  start(): void {
    // A test that failed leaves its storm without a service to call.
    onCleanUp(() => {
      this.caller.abandon();
      return this.stop();
    });
    for (const probe of this.probes) probe.start();
    this.running = Promise.all(
      Array.from({ length: this.options.clients }, (_, index) =>
        this.client(2 ** 41 + randomInt(2 ** 40) + index),
      ),
    );
  }

  /** Resolves when every client has the final answer to its last call. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all([this.running, ...this.probes.map((probe) => probe.stop())]);
  }

  private async client(userId: number): Promise<void> {
    const token = jwt.sign(
      { username: `reader-${userId}`, role: 'user', isAdmin: false },
      this.options.secret,
      { subject: String(userId), expiresIn: TOKEN_LIFE_S },
    );
    const held = new Map<number, number>();
    this.holdings.set(userId, held);
    while (!this.stopped) {
      const bookInfoId = this.options.titles[randomInt(this.options.titles.length)] ?? 0;
      const borrowId = held.get(bookInfoId);
      const answer =
        borrowId === undefined
          ? await this.caller.call('POST', '/api/borrows', token, { bookInfoId })
          : await this.caller.call('POST', '/api/returns', token, { borrowId });
      this.answered += 1;
      if (borrowId === undefined) this.borrowed(held, bookInfoId, answer);
      else if (answer.status === 200) held.delete(bookInfoId);
      else this.violations.push(`return of borrow ${borrowId}: ${JSON.stringify(answer)}`);
      if (this.options.pauseMs) await pause(this.options.pauseMs);
    }
  }

  private borrowed(held: Map<number, number>, bookInfoId: number, answer: Answer): void {
    if (answer.status === 201) {
      const borrowId = answer.body.borrowId as number;
      if (this.borrowIds.has(borrowId)) this.violations.push(`borrow ${borrowId} was given twice`);
      this.borrowIds.add(borrowId);
      held.set(bookInfoId, borrowId);
    } else if (answer.body.code !== 'OUT_OF_STOCK')
      this.violations.push(`borrow of ${bookInfoId}: ${JSON.stringify(answer)}`);
  }
}
