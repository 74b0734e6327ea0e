import jwt from 'jsonwebtoken';
import { startServers, type System } from '../support/processes';
import { Storm } from '../support/storm';
import { audit, disagreements, registerTitles } from '../support/storm-check';
import { waitUntil } from '../support/wait';

const CALLS_BETWEEN_STOPS = 150;

describe('SIGTERM under load', () => {
  let system: System;

  beforeAll(async () => {
    system = await startServers({ apis: 2, workers: 2 });
  });

  it('lets a worker finish what it holds and exit 0, without a client noticing, and an API as well', async () => {
    const secret = system.env.JWT_SECRET ?? '';
    const admin = jwt.sign({ username: 'auditor', role: 'user', isAdmin: true }, secret, { subject: '9000000000', expiresIn: 3600 });
    const url = system.apis[0]?.url ?? '';
    const titles = await registerTitles(url, admin, 8, 5);
    let urls = system.apis.map((api) => api.url);
    const storm = new Storm({ urls: () => urls, secret, titles, clients: 40 });
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
    expect(await disagreements(storm, url, admin, titles)).toEqual([]);
    await audit(system.env);
  }, 180_000);
});
