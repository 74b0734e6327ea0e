import { randomUUID } from 'node:crypto';
import { held } from '../support/run/held';
import { startServers, type Api, type System } from '../support/service/processes';
import { audit, disagreements, prepareStorm } from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

const KILLS = 4;
const CALLS_BETWEEN_KILLS = 100;
const CALLS_MS = 60_000;
/** How long a client waits that goes away, milliseconds: mostly less than an answer takes. */
const IMPATIENCE_MS = 3;

describe('kill -9 of an API under load, again and again, while clients hang up as well', () => {
  let system: System;

  beforeAll(async () => {
    system = await startServers({ apis: 2, workers: 2 });
  }, 180_000);

  it('loses no promised command, doubles none, and another API reports each outcome', async () => {
    const alive: Api[] = [...system.apis];
    const [{ url }] = alive as [Api];
    const prepared = await prepareStorm(url, system.env.JWT_SECRET ?? '', () =>
      alive.map((api) => api.url),
    );
    const { storm, admin, titles } = prepared;
    const [title = 0] = titles.slice(-1);
    const before = await stockOf(url, title);
    const addCopy = (
      api: Api,
      key: string,
      more: Record<string, string> = {},
      signal: AbortSignal | null = null,
    ) =>
      fetch(`${api.url}/api/book-infos/${title}/books`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${admin}`,
          'content-type': 'application/json',
          'idempotency-key': key,
          ...more,
        },
        body: JSON.stringify({ count: 1 }),
        signal,
      });

    storm.start();
    const keys: string[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const until = storm.answered + CALLS_BETWEEN_KILLS;
      await waitUntil(`${CALLS_BETWEEN_KILLS} calls before kill ${kill}`, CALLS_MS, async () => {
        const [key, [api]] = [randomUUID(), alive as [Api]];
        keys.push(key);
        await addCopy(api, key, {}, AbortSignal.timeout(IMPATIENCE_MS)).catch(() => undefined);
        return storm.answered >= until;
      });
      const victim = alive.shift() as Api;
      const key = randomUUID();
      keys.push(key);
      const { statusUrl } = (await (
        await addCopy(victim, key, { prefer: 'respond-async' })
      ).json()) as { statusUrl: string };
      await victim.kill();
      alive.push(await system.addApi());
      const [other] = alive as [Api];
      const told = (await (
        await fetch(`${other.url}${statusUrl}?wait=30`, {
          headers: { authorization: `Bearer ${admin}` },
        })
      ).json()) as object;
      expect(told).toMatchObject({ status: 'succeeded', httpStatus: 201 });
    }
    await storm.stop();

    const [last] = alive as [Api];
    for (const key of keys) expect((await addCopy(last, key)).status).toBe(201);
    expect(await stockOf(last.url, title)).toBe(before + keys.length);
    expect(await disagreements(prepared, last.url)).toEqual([]);
    await audit(system.env);
    const tried = `${KILLS} APIs killed within ${storm.answered} calls, ${storm.repeated} of them sent again to another, and ${keys.length} clients that hung up or lost their API`;
    await held(20, system.env, tried, 'one effect each, and the other API had the answer');
  }, 240_000);
});

async function stockOf(url: string, title: number): Promise<number> {
  const answer = await fetch(`${url}/api/book-infos/${title}`);
  return ((await answer.json()) as { totalStock: number }).totalStock;
}
