import { held } from '../support/run/held';
import { freePorts } from '../support/servers/ports';
import { newSecret, startEmbedded } from '../support/service/processes';
import { audit, disagreements, prepareStorm } from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

const KILLS = 10;
const CALLS_BETWEEN_KILLS = 100;

describe('kill -9 of the embedded process under load, ten times in a row', () => {
  it('carries out every promised command after the restart, and none twice', async () => {
    const secret = newSecret();
    const [port] = await freePorts(1);
    const env = { JWT_SECRET: secret, API_PORT: String(port) };
    let service = await startEmbedded({ env });
    const { dataDir, url } = service;
    const prepared = await prepareStorm(url, secret, () => [url]);
    const { storm } = prepared;
    storm.start();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const until = storm.answered + CALLS_BETWEEN_KILLS;
      await waitUntil(
        `${CALLS_BETWEEN_KILLS} calls after kill ${kill}`,
        60_000,
        () => storm.answered >= until,
      );
      await service.kill();
      service = await startEmbedded({ env, dataDir });
    }
    await storm.stop();
    expect(storm.repeated).toBeGreaterThan(0);
    expect(await disagreements(prepared, url)).toEqual([]);
    await audit({ DATA_DIR: dataDir }, prepared);
    expect(storm.borrowIds.size).toBeGreaterThan(100);
    await held(
      1,
      { DATA_DIR: dataDir },
      `${KILLS} times in ${storm.answered} calls`,
      'no command lost, doubled or half done; stock right',
    );
  }, 300_000);
});
