import { join } from 'node:path';
import { ROOT } from '../support/service/child';
import { held } from '../support/run/held';
import { runOps } from '../support/service/ops-program';
import {
  startServers,
  type Api,
  type Environment,
  type Program,
} from '../support/service/processes';
import { latestRelease, type Released } from '../support/service/released';
import { onDatabase } from '../support/servers/rows';
import { SteadyEditors } from '../support/clients/steady-editors';
import { audit, disagreements, prepareStorm } from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

const CALLS = 200;
const CALLS_MS = 120_000;
const TITLES = 12;
const TEST_MS = 600_000;

const hook = (name: string) => `--require ${join(ROOT, 'test/support/service', name)}`;

/**
 * Programs that follow the release. The made-up ones write another field, a command in another
 * version, and have another column.
 */
const LATER: Readonly<Record<string, { readonly env: Environment; readonly reads: boolean }>> = {
  'those of this tree': { env: {}, reads: true },
  'made-up later ones': {
    env: { NODE_OPTIONS: `${hook('later-release-hook.js')} ${hook('later-schema-hook.js')}` },
    // A worker of the release leaves the commands of the later API to a later worker.
    reads: false,
  },
};

describe('programs of the latest release under load', () => {
  let release: Released;

  beforeAll(async () => {
    release = await latestRelease();
  }, TEST_MS);

  it.each(Object.keys(LATER))(
    'run beside %s, with a migration in the middle, and are back before anything is taken away',
    async (name) => {
      const { env, reads } = LATER[name]!;
      const system = await startServers({ apis: 1, workers: 1, root: release.root });
      let [api] = system.apis as [Api];
      let [worker] = system.workers as [Program];
      let urls = [api.url];
      const secret = system.env['JWT_SECRET'] ?? '';
      const prepared = await prepareStorm(api.url, secret, () => urls);
      const editors = new SteadyEditors(() => urls, secret, prepared.admin);
      prepared.storm.start();
      await editors.start(TITLES);

      const seen: string[] = [];
      const step = async (what: string, change: () => Promise<void>) => {
        const begun = performance.now();
        await change();
        const until = prepared.storm.answered + CALLS;
        await waitUntil(`calls after ${what}`, CALLS_MS, () => prepared.storm.answered >= until);
        seen.push(`${what} ${(editors.longestSince(begun) / 1000).toFixed(1)} s`);
      };
      const olden = { env: {}, root: release.root };
      const newer = { env, root: ROOT };
      const replaceApi = async (by: { env: Environment; root: string }) => {
        const before = api;
        api = await system.addApi(by.env, by.root);
        urls = [before.url, api.url];
        await before.stop();
        urls = [api.url];
      };
      const replaceWorker = async (by: { env: Environment; root: string }) => {
        const before = worker;
        worker = await system.addWorker(by.env, by.root);
        await before.stop();
      };

      await step('beginning', () => Promise.resolve());
      await step('migration', async () => {
        const { code, output } = await runOps({ ...system.env, ...env }, 'migrate');
        expect({ code, output }).toMatchObject({ code: 0 });
        await system.renewAccounts();
      });
      await step('new worker', () => replaceWorker(newer));
      await step('new API', () => replaceApi(newer));
      await step('old API again', () => replaceApi(olden));
      await step('old worker again', () => replaceWorker(olden));
      if (reads) {
        await step('new API before the worker', () => replaceApi(newer));
        await step('new worker after it', () => replaceWorker(newer));
      } else
        await step('new API before the worker', async () => {
          await replaceApi(newer);
          await replaceWorker(newer);
        });

      await Promise.all([prepared.storm.stop(), editors.stop()]);
      expect(editors.violations).toEqual([]);
      expect(await disagreements(prepared, api.url)).toEqual([]);
      const [row] = await onDatabase(system.env, (select) =>
        select('SELECT COUNT(*) AS letters FROM dead_letter'),
      );
      expect(Number(row?.['letters'])).toBe(0);
      await audit(system.env, prepared);
      await held(
        38,
        system.env,
        `${release.version} and ${name}, the longest call of each step: ${seen.join(', ')}`,
        'no dead letter, no 5xx but 503, nothing lost, doubled or overtaken',
      );
      await system.stop();
    },
    TEST_MS,
  );
});
