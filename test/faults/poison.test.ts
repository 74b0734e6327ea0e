import { Clients } from '../support/clients/clients';
import { held } from '../support/run/held';
import { audit } from '../support/check/storm-check';
import { runOps } from '../support/service/ops-program';
import { newPoison, Supervisor, type Poison } from '../support/faults/poison';
import { freePorts } from '../support/servers/ports';
import {
  newSecret,
  startEmbedded,
  startServers,
  type Environment,
} from '../support/service/processes';

/** Processes that may end before a command is given up: two to suspect it, three with it alone. */
const DEATHS_MAX = 5;
const COPIES = 3;

interface Sent {
  readonly good: number;
  readonly bad: number;
  readonly poison: string;
  readonly reader: number;
  /** Behind the poison, for its aggregate: what its sender does next, and what others want. */
  readonly behind: readonly string[];
  readonly neighbours: readonly string[];
}

/**
 * A poison among its neighbours; all are promised before any is carried out, when nobody works
 * meanwhile.
 */
async function send(clients: Clients, titles: { good: number; bad: number }): Promise<Sent> {
  const { good, bad } = titles;
  const reader = clients.newUser();
  const before = await clients.borrow(good);
  const poison = await clients.borrow(bad, reader);
  const neighbours = [before, await clients.borrow(good)];
  const behind = [await clients.giveBack(bad, reader)];
  for (let copy = 0; copy < COPIES + 1; copy += 1) behind.push(await clients.borrow(bad));
  neighbours.push(await clients.borrow(good), await clients.borrow(good));
  return { good, bad, poison, reader, behind, neighbours };
}

const NEIGHBOURS = ['succeeded', 'succeeded', 'succeeded', 'OUT_OF_STOCK'];
const REPLAYED = ['succeeded', 'succeeded', 'succeeded', 'succeeded', 'succeeded', 'OUT_OF_STOCK'];

/**
 * What must hold once the poison was given up, and after the operator's replay. `opsEnv` is the
 * operator's environment.
 */
async function expectQuarantineAndReplay(
  clients: Clients,
  sent: Sent,
  opsEnv: Environment,
  poison: Poison,
): Promise<void> {
  const { bad, good, behind } = sent;
  expect(await clients.endings(sent.neighbours)).toEqual(NEIGHBOURS);
  expect(await clients.endings([sent.poison, ...behind])).toEqual(
    [sent.poison, ...behind].map(() => 'COMMAND_FAILED'),
  );
  const { json, code } = await runOps(opsEnv, 'dead-letters', 'list', '--json');
  expect(code).toBe(0);
  const letters = json.items as {
    commandId: string;
    aggregate: string;
    parked: boolean;
    letter: number;
  }[];
  expect(letters.map(({ commandId, aggregate, parked }) => [commandId, aggregate, parked])).toEqual(
    [
      [sent.poison, `book-info:${bad}`, false],
      ...behind.map((commandId) => [commandId, `book-info:${bad}`, true]),
    ],
  );
  // In quarantine later, too, and nobody else is.
  const late = await clients.borrow(bad);
  const free = await clients.borrow(await clients.newTitle(COPIES));
  expect(await clients.endings([late, free])).toEqual(['COMMAND_FAILED', 'succeeded']);

  await poison.lift();
  const replay = await runOps(
    opsEnv,
    'dead-letters',
    'replay',
    '--aggregate',
    `book-info:${bad}`,
    '--json',
  );
  expect([replay.code, replay.json.waiting]).toEqual([0, 0]);
  const all = [sent.poison, ...behind, late];
  expect(replay.json.replayed.map(({ commandId }: { commandId: string }) => commandId)).toEqual(
    all,
  );
  expect(await clients.endings(all)).toEqual([...REPLAYED, 'OUT_OF_STOCK']);
  expect([
    (await clients.title(bad)).availableStock,
    (await clients.title(good)).availableStock,
  ]).toEqual([0, 0]);
  // Once more does nothing, and the quarantine is over.
  expect((await runOps(opsEnv, 'dead-letters', 'replay', '--all', '--json')).json).toEqual({
    replayed: [],
    waiting: 0,
  });
  expect(await clients.endings([await clients.borrow(bad)])).toEqual(['OUT_OF_STOCK']);
  await audit(opsEnv);
}

describe('a command that kills its worker', () => {
  it('is dead-lettered after a few of them, harms no other command, and has its effect once when it is replayed after the repair', async () => {
    const poison = await newPoison();
    const system = await startServers({ apis: 1, workers: 1, env: poison.env });
    const secret = system.env.JWT_SECRET ?? '';
    const clients = new Clients(system.apis[0]?.url ?? '', secret);
    const titles = { good: await clients.newTitle(COPIES), bad: await clients.newTitle(COPIES) };
    await poison.set({ [titles.bad]: 'die' });
    await system.workers[0]?.stop();
    const sent = await send(clients, titles);
    const supervisors = [1, 2].map(() => new Supervisor(() => system.addWorker()));
    const kept = supervisors.map((supervisor) => supervisor.keep());
    await expectQuarantineAndReplay(clients, sent, system.env, poison);
    const deaths = supervisors.reduce((sum, supervisor) => sum + supervisor.deaths, 0);
    expect(deaths).toBeLessThanOrEqual(DEATHS_MAX);
    expect(deaths).toBeGreaterThan(0);
    for (const supervisor of supervisors) supervisor.stop();
    await held(
      15,
      system.env,
      `dies; ended ${deaths} workers`,
      `given up after at most ${DEATHS_MAX} processes, neighbours not touched, replayed in order with one effect`,
    );
    await system.stop();
    await Promise.all(kept);
  }, 300_000);
});

describe('a command that harms the embedded process', () => {
  it.each([
    ['die', ''],
    ['loop', ''],
    ['memory', '--max-old-space-size=192'],
    ['throw', ''],
  ] as const)(
    '%s: the process does not crash for ever',
    async (kind, nodeOptions) => {
      const poison = await newPoison({ nodeOptions, quickWatchdog: kind === 'loop' });
      const secret = newSecret();
      const [port] = await freePorts(1);
      const env = { JWT_SECRET: secret, API_PORT: String(port), ...poison.env };
      const first = await startEmbedded({ env });
      const { dataDir, url } = first;
      let last = first;
      const clients = new Clients(url, secret);
      const titles = { good: await clients.newTitle(COPIES), bad: await clients.newTitle(COPIES) };
      await poison.set({ [titles.bad]: kind });
      const supervisor = new Supervisor(async () => (last = await startEmbedded({ env, dataDir })));
      const kept = supervisor.keep(first);
      const sent = await send(clients, titles);
      await expectQuarantineAndReplay(clients, sent, { DATA_DIR: dataDir }, poison);
      expect(supervisor.deaths).toBeLessThanOrEqual(DEATHS_MAX);
      if (kind !== 'throw') expect(supervisor.deaths).toBeGreaterThan(0);
      supervisor.stop();
      expect(await last.stop()).toEqual({ code: 0, signal: null });
      await kept;
      await held(
        15,
        { DATA_DIR: dataDir },
        `${kind}; ended ${supervisor.deaths} processes`,
        `given up after at most ${DEATHS_MAX} processes, neighbours not touched, replayed in order with one effect`,
      );
    },
    300_000,
  );
});
