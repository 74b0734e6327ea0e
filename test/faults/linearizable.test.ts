import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT, type Child } from '../support/service/child';
import { held } from '../support/run/held';
import { runBatch, type Batch, type Trouble } from '../support/check/histories/batch';
import { checkHistories } from '../support/check/histories/check';
import { freePorts } from '../support/servers/ports';
import {
  newSecret,
  startEmbedded,
  startServers,
  type Environment,
} from '../support/service/processes';
import { exportedSecret, targetAt, type Target } from '../support/service/target';

/** Histories at once, and how often on each way of running: a hundred at least. */
const AT_ONCE = 8;
const BATCHES = 8;
/** Shorter than it takes until anybody else takes over, milliseconds. */
const FREEZE_MS = { min: 50, max: 700 };

const secret = (): Environment => ({ JWT_SECRET: exportedSecret(newSecret) });

async function freezeFor(child: Child): Promise<void> {
  child.freeze();
  await pause(randomInt(FREEZE_MS.min, FREEZE_MS.max));
  child.thaw();
}

interface Way {
  readonly target: Target;
  readonly env: Environment;
  /** What happens to the programs during the batch of this number, from 0. */
  readonly trouble: (batch: number) => Trouble;
}

async function embedded(env: Environment = {}): Promise<Way> {
  const [port] = await freePorts(1);
  const all = { ...secret(), API_PORT: String(port), ...env };
  let service = await startEmbedded({ env: all });
  const { dataDir, url } = service;
  const trouble = (): Trouble => async (reached) => {
    await reached(0.2);
    await freezeFor(service.child);
    await reached(0.5);
    await service.kill();
    service = await startEmbedded({ env: all, dataDir });
  };
  return { target: targetAt('embedded', [url]), env: { DATA_DIR: dataDir }, trouble };
}

async function servers(env: Environment = {}): Promise<Way> {
  const system = await startServers({ apis: 0, workers: 2, env: { ...secret(), ...env } });
  const workers = [...system.workers];
  const ports = await freePorts(2);
  const apis = await Promise.all(ports.map((port) => system.addApi({ API_PORT: String(port) })));
  const urls = apis.map(({ url }) => url);
  const troubles: readonly Trouble[] = [
    async (reached) => {
      await reached(0.2);
      await freezeFor(apis[0]!.child);
      await reached(0.5);
      const [victim] = workers.splice(randomInt(workers.length), 1);
      await victim?.kill();
      workers.push(await system.addWorker());
    },
    async (reached) => {
      await reached(0.2);
      await Promise.all(workers.map(({ child }) => freezeFor(child)));
      await reached(0.5);
      const killed = randomInt(apis.length);
      await apis[killed]!.kill();
      apis[killed] = await system.addApi({ API_PORT: String(ports[killed]) });
    },
  ];
  return {
    target: targetAt('servers', urls),
    env: system.env,
    trouble: (batch) => troubles[batch % troubles.length]!,
  };
}

const WAYS = { embedded, servers };

describe.each(['embedded', 'servers'] as const)(
  'histories of eight clients of one title (%s)',
  (name) => {
    it('have a legal order, whatever is killed or frozen', async () => {
      const { target, env, trouble } = await WAYS[name]();
      const batches: Batch[] = [];
      for (let batch = 0; batch < BATCHES; batch += 1)
        batches.push(await runBatch(`${name}-${batch + 1}`, AT_ONCE, target, trouble(batch)));
      const { file, wrong, atomic, unknown } = await checkHistories(name, batches);
      expect({ file, wrong }).toEqual({ file, wrong: [] });
      // With none the kills would have hit nothing.
      expect(unknown).toBeGreaterThan(0);
      await held(
        26,
        env,
        `${BATCHES * AT_ONCE} histories, ${BATCHES} kills and ${BATCHES} freezes, ${unknown} operations without an answer`,
        `a legal order of each; of ${atomic} also with all reads in it`,
      );
    }, 300_000);

    it.each(['stale read', 'doubled effect'])(
      'have none when a fault is planted: %s',
      async (planted) => {
        const env = {
          TEST_PLANTED: planted,
          NODE_OPTIONS: `--require ${join(ROOT, 'test/support/check/histories/planted-hook.js')}`,
        };
        const { target } = await WAYS[name](env);
        const { wrong } = await checkHistories(`${name}-${planted.replace(' ', '-')}`, [
          await runBatch(planted, AT_ONCE, target, () => Promise.resolve()),
        ]);
        expect(wrong).not.toEqual([]);
      },
      120_000,
    );
  },
);
