import { randomInt } from 'node:crypto';
import { held } from '../support/run/held';
import { startServers, type System } from '../support/service/processes';
import { audit, disagreements, prepareStorm } from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

const KILLS = 10;
/** Calls answered between two kills, so that each worker dies in the middle of work. */
const CALLS_BETWEEN_KILLS = 100;

describe('kill -9 of a worker in the middle of its batches, ten times in a row', () => {
  let system: System;

  beforeAll(async () => {
    system = await startServers({ apis: 2, workers: 2 });
  });

  it('loses no command, doubles none, and leaves the stock right', async () => {
    const url = system.apis[0]?.url ?? '';
    const prepared = await prepareStorm(url, system.env.JWT_SECRET ?? '', () =>
      system.apis.map((api) => api.url),
    );
    const { storm } = prepared;
    storm.start();
    const alive = [...system.workers];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const until = storm.answered + CALLS_BETWEEN_KILLS;
      await waitUntil(
        `${CALLS_BETWEEN_KILLS} calls after kill ${kill}`,
        60_000,
        () => storm.answered >= until,
      );
      const [victim] = alive.splice(randomInt(alive.length), 1);
      await victim?.kill();
      alive.push(await system.addWorker());
    }
    await storm.stop();
    expect(await disagreements(prepared, url)).toEqual([]);
    await audit(system.env, prepared);
    expect(storm.borrowIds.size).toBeGreaterThan(100);
    await held(
      1,
      system.env,
      `${KILLS} times in ${storm.answered} calls`,
      'no command lost, doubled or half done; stock right',
    );
  }, 300_000);
});
