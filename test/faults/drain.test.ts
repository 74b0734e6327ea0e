import { startServers, type System } from '../support/service/processes';
import { audit, disagreements, prepareStorm } from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

const CALLS_BETWEEN_STOPS = 150;

describe('SIGTERM under load', () => {
  let system: System;

  beforeAll(async () => {
    system = await startServers({ apis: 2, workers: 2 });
  });

  it('lets a worker finish what it holds and exit 0, without a client noticing, and an API as well', async () => {
    const url = system.apis[0]?.url ?? '';
    let urls = system.apis.map((api) => api.url);
    const prepared = await prepareStorm(url, system.env.JWT_SECRET ?? '', () => urls);
    const { storm } = prepared;
    storm.start();
    const moreCalls = async () => {
      const until = storm.answered + CALLS_BETWEEN_STOPS;
      await waitUntil(`${CALLS_BETWEEN_STOPS} more calls`, 60_000, () => storm.answered >= until);
    };
    for (const worker of [...system.workers]) {
      await moreCalls();
      await system.addWorker();
      await moreCalls();
      expect(await worker.stop()).toEqual({ code: 0, signal: null });
    }
    expect(storm.repeated).toBe(0);
    const [leaving] = system.apis.slice(1);
    urls = [url];
    expect(await leaving?.stop()).toEqual({ code: 0, signal: null });
    await moreCalls();
    await storm.stop();
    expect(await disagreements(prepared, url)).toEqual([]);
    await audit(system.env, prepared);
  }, 400_000);
});
