import { setTimeout as pause } from 'node:timers/promises';
import { openLibrary, type Library } from '../support/clients/books';
import { held } from '../support/run/held';
import { LongestPause } from '../support/check/longest-pause';
import { Outage, OUTAGE_TEST_MS } from '../support/faults/outage';
import { startGalera } from '../support/servers/private/galera';
import { startPair, type Pair } from '../support/servers/private/mysql-pair';
import { newSecret, startServers, type System } from '../support/service/processes';
import { exportedSecret, targetAt } from '../support/service/target';

/** How long the old primary is read-only before the other is promoted, milliseconds. */
const SWITCHING_MS = 1000;
/** How long both take writes, milliseconds. */
const SPLIT_MS = 3000;

/** Ways to replicate, and how they start. */
const replications = {
  'semi-synchronous replication': startPair,
  'a Galera cluster of three': startGalera,
};

describe.each(Object.entries(replications))(
  'MYSQL_URL names servers of %s, and the primary changes under load',
  (name, start) => {
    let pair: Pair;
    let system: System;
    let library: Library;

    beforeAll(async () => {
      pair = await start();
      system = await startServers({
        apis: 2,
        workers: 2,
        env: { MYSQL_URL: pair.url, JWT_SECRET: exportedSecret(newSecret) },
      });
      library = await openLibrary(
        targetAt(
          'servers',
          system.apis.map(({ url }) => url),
        ),
      );
    }, 240_000);

    it(
      'continues with the new primary without help, and loses, doubles and dead-letters nothing',
      async () => {
        const [first, second] = pair.sides;
        const outage = await Outage.begin(system);
        const pauses = new LongestPause(() => outage.answered);
        const seen: string[] = [];
        const after = async (what: string) => {
          await outage.moreCalls(`after ${what}`);
          seen.push(`${what} (${pauses.take()} s)`);
        };

        const title = await library.registered();
        const cached = `/api/book-infos/${title.bookInfoId}`;
        await library.readEverywhere(cached);
        pauses.take();
        await first.query('SET GLOBAL read_only = 1');
        await pause(SWITCHING_MS);
        for (const { status } of await library.readEverywhere(cached)) expect(status).toBe(200);
        await pair.promote(second);
        await after('a switch in order');

        await pair.follow(first, second);
        await second.server.kill();
        await pair.promote(first);
        await after('kill -9 of the primary');

        await second.server.start();
        await outage.moreCalls('beside the old primary, which is read-only');
        pauses.take();
        await second.query('SET GLOBAL read_only = 0');
        await pause(SPLIT_MS);
        await second.query('SET GLOBAL read_only = 1');
        await after(`${SPLIT_MS / 1000} s with two that take writes`);

        pauses.stop();
        await outage.expectNoHarm();
        await held(
          33,
          system.env,
          `once each, with ${name}: ${seen.join(', ')}`,
          'the new primary was found without a proxy, nothing promised lost or doubled, no dead letter, no 5xx but 503; in brackets the longest time in which no client was answered',
        );
      },
      OUTAGE_TEST_MS,
    );
  },
);
