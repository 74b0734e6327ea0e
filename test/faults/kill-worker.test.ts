import { randomInt } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { startServers, type System } from '../support/processes';
import { Storm } from '../support/storm';
import { audit, disagreements, registerTitles } from '../support/storm-check';
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
    const secret = system.env.JWT_SECRET ?? '';
    const admin = jwt.sign({ username: 'auditor', role: 'user', isAdmin: true }, secret, { subject: '9000000000', expiresIn: 3600 });
    const url = system.apis[0]?.url ?? '';
    const titles = await registerTitles(url, admin, 8, 5);
    const storm = new Storm({ urls: () => system.apis.map((api) => api.url), secret, titles, clients: 40 });
    storm.start();
    const alive = [...system.workers];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const until = storm.answered + CALLS_BETWEEN_KILLS;
      await waitUntil(`${CALLS_BETWEEN_KILLS} calls after kill ${kill}`, 60_000, () => storm.answered >= until);
      const [victim] = alive.splice(randomInt(alive.length), 1);
      await victim?.kill();
      alive.push(await system.addWorker());
    }
    await storm.stop();
    expect(await disagreements(storm, url, admin, titles)).toEqual([]);
    await audit(system.env);
    expect(storm.borrowIds.size).toBeGreaterThan(100);
  }, 300_000);
});
