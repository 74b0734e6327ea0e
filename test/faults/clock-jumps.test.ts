import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { openLibrary, succeeded, type Library } from '../support/clients/books';
import { Editor } from '../support/clients/editor';
import { held } from '../support/run/held';
import { expectProblem } from '../support/clients/problems';
import { newSecret, startEmbedded, startServers, type System } from '../support/service/processes';
import type { Reader } from '../support/clients/requests';
import {
  audit,
  disagreements,
  prepareStorm,
  type PreparedStorm,
} from '../support/check/storm-check';
import { exportedSecret, targetAt } from '../support/service/target';
import { waitUntil } from '../support/wait';
import { newClock, type WrongClock } from '../support/faults/wrong-clock';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long a copy is set aside, milliseconds: less than clocks are wrong by. */
const PICKUP_MS = HOUR_MS / 2;
/** What counts as the right time, milliseconds. */
const RIGHT_MS = 5 * 60_000;
const WAIT_MS = 60_000;
const CALLS_BETWEEN_JUMPS = 150;
/** Entries of the audit are from now, although each clock is wrong by an hour. */
const AT_RIGHT_TIME =
  '`at` BETWEEN UTC_TIMESTAMP(3) - INTERVAL 30 MINUTE AND UTC_TIMESTAMP(3) + INTERVAL 1 MINUTE';

async function moreCalls({ storm }: PreparedStorm): Promise<void> {
  const until = storm.answered + CALLS_BETWEEN_JUMPS;
  await waitUntil(`${CALLS_BETWEEN_JUMPS} more calls`, WAIT_MS, () => storm.answered >= until);
}

describe('an API and a worker whose clocks are an hour ahead, and others whose clocks are an hour behind', () => {
  let system: System;
  let library: Library;
  let clocks: readonly [WrongClock, WrongClock];
  /** Copies that are set aside. */
  const waiting: { readonly reader: Reader; readonly holdId: number }[] = [];

  const setClocks = async (first: number, second: number) => {
    await Promise.all([clocks[0].set(first), clocks[1].set(second)]);
  };

  async function sql(text: string): Promise<RowDataPacket[]> {
    const connection = await createConnection(system.env.MYSQL_URL ?? '');
    try {
      return (await connection.query<RowDataPacket[]>(text))[0];
    } finally {
      await connection.end();
    }
  }

  const holdOf = async ({ reader, holdId }: (typeof waiting)[number]) =>
    succeeded(await library.call('get', `/api/holds/${holdId}`, { token: reader.token }), 200);

  /** A copy that is set aside for somebody who waited for it. */
  async function setAside(): Promise<void> {
    const { bookInfoId } = await library.single();
    const [borrower, reader] = [library.newReader(), library.newReader()];
    await library.borrowed(borrower, { bookInfoId });
    const { holdId } = succeeded(await library.placeHold(reader, bookInfoId), 201) as {
      holdId: number;
    };
    await library.returned(borrower, { bookInfoId });
    waiting.push({ reader, holdId });
  }

  beforeAll(async () => {
    clocks = [await newClock(HOUR_MS), await newClock(-HOUR_MS)];
    system = await startServers({
      apis: 0,
      workers: 0,
      env: { HOLD_PICKUP_DAYS: String(PICKUP_MS / DAY_MS), JWT_SECRET: exportedSecret(newSecret) },
    });
    for (const { env } of clocks) await Promise.all([system.addWorker(env), system.addApi(env)]);
    library = await openLibrary(
      targetAt(
        'servers',
        system.apis.map(({ url }) => url),
      ),
    );
    // Several titles, for both workers.
    await Promise.all(Array.from({ length: 6 }, setAside));
  }, 180_000);

  it('judge tokens by their own clocks', async () => {
    const { token } = library.newReader({ expiresIn: HOUR_MS / 2000 });
    const [ahead, behind] = await library.readEverywhere('/api/holds', token);
    if (!ahead || !behind) throw new Error('there are two APIs');
    expectProblem(ahead, 401, 'TOKEN_EXPIRED');
    expect(behind.status).toBe(200);
  });

  it('answer by a reply, without polling for the outcome', async () => {
    const { bookInfoId } = await library.registered();
    for (const { url } of system.apis) {
      const api = await openLibrary(targetAt('servers', [url]));
      // An answer is first looked for after a second.
      const addCopy = () =>
        api.manage(
          'post',
          `/api/book-infos/${bookInfoId}/books`,
          { count: 1 },
          { Prefer: 'wait=1' },
        );
      await waitUntil(
        'an answer within a second',
        WAIT_MS,
        async () => (await addCopy()).status === 201,
      );
    }
  });

  it('lose, double and reorder nothing, also while their clocks jump', async () => {
    const [url = ''] = system.apis.map((api) => api.url);
    const prepared = await prepareStorm(url, system.env.JWT_SECRET ?? '', () =>
      system.apis.map((api) => api.url),
    );
    const begun = Date.now();
    prepared.storm.start();
    await moreCalls(prepared);
    for (const [first, second] of [
      [-HOUR_MS, HOUR_MS],
      [0, 0],
      [HOUR_MS, -HOUR_MS],
    ] as const) {
      await setClocks(first, second);
      await moreCalls(prepared);
    }
    await prepared.storm.stop();
    expect(await disagreements(prepared, url)).toEqual([]);
    await audit(system.env);
    const borrows = await library.allPages<{ borrowedAt: string }>(
      '/api/borrow-histories?returned=false',
      100,
      library.target.admin,
    );
    const recent = borrows
      .map(({ borrowedAt }) => Date.parse(borrowedAt))
      .filter((at) => at > begun - RIGHT_MS && at < Date.now() + RIGHT_MS);
    expect(recent).toHaveLength(borrows.length);
    expect(borrows.length).toBeGreaterThan(0);
    await held(
      18,
      system.env,
      'workers and APIs an hour ahead and behind, set three times',
      'no order, expiry or lease changed; nothing lost or doubled',
    );
  }, 120_000);

  it('keep leases and heartbeats by the clock of the database', async () => {
    const soon = (column: string) =>
      `\`${column}\` BETWEEN UTC_TIMESTAMP(3) - INTERVAL 1 MINUTE AND UTC_TIMESTAMP(3) + INTERVAL 1 MINUTE`;
    expect(await sql(`SELECT name FROM lease WHERE NOT (${soon('until')})`)).toEqual([]);
    expect(await sql(`SELECT worker FROM worker_heartbeat WHERE ${soon('beat_at')}`)).toHaveLength(
      2,
    );
    expect(await sql('SELECT id FROM audit')).not.toEqual([]);
    expect(await sql(`SELECT id FROM audit WHERE NOT (${AT_RIGHT_TIME})`)).toEqual([]);
    await waitUntil(
      'every event is published',
      WAIT_MS,
      async () => (await sql('SELECT 1 FROM outbox WHERE relayed_at IS NULL LIMIT 1')).length === 0,
    );
  });

  it('keep copies set aside for the promised time, and no longer', async () => {
    for (const hold of await Promise.all(waiting.map(holdOf))) {
      expect(hold.status).toBe('READY');
      expect(Date.parse(hold.expiresAt) - Date.parse(hold.readyAt)).toBe(PICKUP_MS);
      expect(Math.abs(Date.parse(hold.readyAt) - Date.now())).toBeLessThan(RIGHT_MS);
    }
    await setClocks(-HOUR_MS, -HOUR_MS);
    await sql("UPDATE book_hold SET expires_at = UTC_TIMESTAMP(3) WHERE status = 'READY'");
    await waitUntil('all are expired', WAIT_MS, async () =>
      (await Promise.all(waiting.map(holdOf))).every(({ status }) => status === 'EXPIRED'),
    );
  }, 120_000);
});

it('the embedded process forgets, loses and doubles nothing when its clock jumps under load', async () => {
  const clock = await newClock(0);
  const secret = newSecret();
  const { url, dataDir } = await startEmbedded({ env: { ...clock.env, JWT_SECRET: secret } });
  const editor = new Editor(url, secret);
  const [title = 0] = await editor.register(1);
  const promises: string[] = [];
  const prepared = await prepareStorm(url, secret, () => [url]);
  prepared.storm.start();
  await moreCalls(prepared);
  for (const wrongByMs of [HOUR_MS, -HOUR_MS, 0]) {
    await clock.set(wrongByMs);
    promises.push(await editor.rename(title));
    await moreCalls(prepared);
    expect(await editor.versions(promises)).toEqual(promises.map((_, index) => index + 2));
  }
  await prepared.storm.stop();
  expect(await disagreements(prepared, url)).toEqual([]);
  await audit({ DATA_DIR: dataDir }, prepared);
  await held(18, { DATA_DIR: dataDir }, 'set three times', 'nothing forgotten, lost or doubled');
}, 120_000);
