import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import jwt from 'jsonwebtoken';
import { connectDatabase } from '../../shared/database/connect';
import { Outbox } from '../../shared/database/tables';
import { Caller } from '../support/clients/caller';
import { onCleanUp } from '../support/run/cleanup';
import { eventsIn } from '../support/servers/outbox';
import { startServers, type System } from '../support/service/processes';
import { audit } from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

/** A course of five seats, thirty users who want one, and workers that die in between. */

const USERS = 30;
const SEATS = 5;
const KILLS = 6;
/** Users who were let in or gave up between two kills. */
const ENDS_BETWEEN_KILLS = 25;

/** A user who does with the course whatever is possible, by chance. */
class WilfulUser {
  private readonly token: string;
  private readonly userId = 2 ** 42 + randomInt(2 ** 40);
  ends = 0;

  constructor(
    private readonly caller: Caller,
    private readonly courseId: number,
    secret: string,
  ) {
    const claims = { username: `wilful-${this.userId}`, role: 'user', isAdmin: false };
    this.token = jwt.sign(claims, secret, { subject: String(this.userId), expiresIn: 3600 });
  }

  async turn(): Promise<void> {
    const { status, body } = await this.call('POST', 'subscriptions');
    if (status === 201) await this.take();
    else if (body['code'] === 'COURSE_FULL') await this.wait();
    else if (body['code'] !== 'COURSE_CLOSED') this.complain('subscribing', status, body);
    await pause(randomInt(40));
  }

  /** Has the seat for a while, and gives it back. */
  private async take(): Promise<void> {
    this.ends += 1;
    await pause(randomInt(120));
    const { status, body } = await this.call('DELETE', 'subscriptions');
    if (status !== 204) this.complain('cancelling', status, body);
  }

  private async wait(): Promise<void> {
    const { status, body } = await this.call('POST', 'waitlist');
    // A seat has come free, or the course was closed, in the same moment.
    if (body['code'] === 'SEATS_AVAILABLE' || body['code'] === 'COURSE_CLOSED') return;
    if (status !== 201) {
      this.complain('waiting', status, body);
      return;
    }
    const patience = randomInt(5) === 0 ? 100 : 60_000;
    for (const until = Date.now() + patience; Date.now() < until;) {
      if (await this.isIn()) {
        await this.take();
        return;
      }
      await pause(50);
    }
    const left = await this.call('DELETE', 'waitlist');
    this.ends += 1;
    // They may have been let in in the same moment.
    if (left.status === 404) await this.take();
    else if (left.status !== 204) this.complain('leaving', left.status, left.body);
  }

  private async isIn(): Promise<boolean> {
    const path = `/users/${this.userId}/courses`;
    const { body } = await this.caller.call('GET', path, this.token);
    return body['totalItems'] === 1;
  }

  private call(method: 'POST' | 'DELETE', what: 'subscriptions' | 'waitlist') {
    return this.caller.call(method, `/courses/${this.courseId}/${what}`, this.token);
  }

  private complain(what: string, status: number, body: object): void {
    this.caller.violations.push(`${what}: ${JSON.stringify({ status, body })}`);
  }
}

interface Told {
  readonly userId: number;
  readonly capacity: number | null;
}

/** What the events of a course say that must not be, in their order. */
function disorders(events: readonly { readonly type: string; readonly data: object }[]): {
  readonly found: string[];
  readonly promoted: number;
} {
  const found: string[] = [];
  const [line, seated] = [[] as number[], new Set<number>()];
  let [capacity, promoted]: [number | null, number] = [SEATS, 0];
  for (const { type, data } of events) {
    const { userId, ...course } = data as Told;
    if (type === 'courses.course.updated') capacity = course.capacity;
    if (type === 'courses.waitlist.joined') line.push(userId);
    if (type === 'courses.waitlist.left') line.splice(line.indexOf(userId), 1);
    if (type === 'courses.subscription.cancelled') seated.delete(userId);
    if (type === 'courses.subscription.created' || type === 'courses.waitlist.promoted') {
      const first = type === 'courses.waitlist.promoted' ? line.shift() : undefined;
      const passed = first === undefined ? line[0] : first === userId ? undefined : first;
      if (passed !== undefined) found.push(`user ${userId} was let in before user ${passed}`);
      if (first !== undefined) promoted += 1;
      seated.add(userId);
    }
    if (seated.size > (capacity ?? Infinity)) found.push(`${seated.size} seats at ${type}`);
  }
  return { found, promoted };
}

describe('five seats, thirty users, and workers that are killed', () => {
  let system: System;

  beforeAll(async () => {
    system = await startServers({ apis: 2, workers: 2 });
    const database = connectDatabase({ url: system.env.MYSQL_URL ?? '', poolMax: 2 });
    onCleanUp(() => database.close());
  });

  async function killWorkers(users: readonly WilfulUser[]): Promise<void> {
    const alive = [...system.workers];
    const ends = () => users.reduce((sum, user) => sum + user.ends, 0);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const until = ends() + ENDS_BETWEEN_KILLS;
      await waitUntil(
        `${ENDS_BETWEEN_KILLS} end after kill ${kill}`,
        120_000,
        () => ends() >= until,
      );
      const [victim] = alive.splice(randomInt(alive.length), 1);
      await victim?.kill();
      alive.push(await system.addWorker());
    }
  }

  it('a free seat goes to the first of the waitlist each time, and never to one too many', async () => {
    const secret = system.env.JWT_SECRET ?? '';
    const claims = { username: 'dean', role: 'lecturer', isAdmin: true };
    const dean = jwt.sign(claims, secret, { subject: '9000000000', expiresIn: 3600 });
    const caller = new Caller(() => system.apis.map(({ url }) => url));
    const { body } = await caller.call('POST', '/courses', dean, {
      courseName: 'The popular one',
      capacity: SEATS,
    });
    const courseId = body['courseId'] as number;
    const users = Array.from({ length: USERS }, () => new WilfulUser(caller, courseId, secret));
    let done = false;
    const running = users.map(async (user) => {
      while (!done) await user.turn();
    });
    const changing = async () => {
      while (!done) {
        const change = randomInt(4) === 0 ? { status: 'closed' } : { capacity: 3 + randomInt(5) };
        await caller.call('PATCH', `/courses/${courseId}`, dean, change);
        await pause(200 + randomInt(300));
        await caller.call('PATCH', `/courses/${courseId}`, dean, { status: 'open' });
      }
      await caller.call('PATCH', `/courses/${courseId}`, dean, { capacity: USERS });
    };
    try {
      await Promise.all([
        killWorkers(users).finally(() => {
          done = true;
        }),
        changing(),
      ]);
    } finally {
      done = true;
      await Promise.all(running);
    }
    expect(caller.violations).toEqual([]);
    const events = eventsIn(await Outbox.findAll({ order: ['seq'], raw: true }));
    const { found, promoted } = disorders(
      events.filter(({ aggregateId }) => aggregateId === `course:${courseId}`),
    );
    expect(found).toEqual([]);
    expect(promoted).toBeGreaterThan(KILLS);
    // Last, for it looks into the database by a connection of its own, to which the models then
    // belong.
    await audit(system.env);
  }, 600_000);
});
