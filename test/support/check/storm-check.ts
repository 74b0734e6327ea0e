import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import { ROOT, run } from '../service/child';
import { brokenInvariants, nothingWaits } from './invariants';
import { Storm, type StormOptions } from '../clients/storm';
import { TOKEN_LIFE_S } from '../service/target';
import { staleViews } from './views';

/**
 * Compares what the clients of a storm were told with what the service says, and with what its
 * database holds.
 */

async function getJson(url: string, admin: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${admin}` } });
  return (await response.json()) as Record<string, unknown>;
}

async function registerTitles(
  url: string,
  admin: string,
  count: number,
  copies: number,
): Promise<number[]> {
  const headers = {
    authorization: `Bearer ${admin}`,
    'content-type': 'application/json',
    // The workers may have just started.
    prefer: 'wait=30',
  };
  const titles = Array.from({ length: count }, async (_, index) => {
    const body = JSON.stringify({ title: `Storm ${index}`, author: 'Fitzroy', copies });
    const response = await fetch(`${url}/api/book-infos`, { method: 'POST', headers, body });
    return ((await response.json()) as { bookInfoId: number }).bookInfoId;
  });
  return Promise.all(titles);
}

/** How many titles a storm is about, and copies each has: few, so that clients meet. */
const TITLES = 8;
const COPIES = 5;
const CLIENTS = 40;

export interface PreparedStorm {
  readonly storm: Storm;
  readonly titles: readonly number[];
  /** An administrator's token. */
  readonly admin: string;
}

/**
 * Registers titles at `url`, and makes a storm about them that calls `urls`, asked anew for each
 * call. `options` override those of the storm.
 */
export async function prepareStorm(
  url: string,
  secret: string,
  urls: () => readonly string[],
  options: Partial<StormOptions> = {},
): Promise<PreparedStorm> {
  const admin = jwt.sign({ username: 'auditor', role: 'user', isAdmin: true }, secret, {
    subject: '9000000000',
    expiresIn: TOKEN_LIFE_S,
  });
  const titles = await registerTitles(url, admin, TITLES, COPIES);
  return {
    storm: new Storm({ urls, secret, titles, clients: CLIENTS, admin, ...options }),
    titles,
    admin,
  };
}

/** Returns every way in which the service disagrees with its clients; empty when all is well. */
export async function disagreements(
  { storm, titles, admin }: PreparedStorm,
  url: string,
): Promise<string[]> {
  const found = [...storm.violations];
  const histories = await Promise.all(
    titles.map((bookInfoId) =>
      getJson(`${url}/api/borrow-histories?size=1&bookInfoId=${bookInfoId}`, admin),
    ),
  );
  const borrows = histories.reduce((sum, { totalItems }) => sum + Number(totalItems), 0);
  if (borrows !== storm.borrowIds.size)
    found.push(`${storm.borrowIds.size} borrows were answered 201, ${borrows} exist`);
  for (const [userId, held] of storm.holdings) {
    const { items } = await getJson(
      `${url}/api/borrow-histories?returned=false&size=100&userId=${userId}`,
      admin,
    );
    const open = (items as { borrowId: number }[])
      .map(({ borrowId }) => borrowId)
      .sort((a, b) => a - b);
    const told = [...held.values()].sort((a, b) => a - b);
    if (open.join() !== told.join())
      found.push(`user ${userId} was told of open borrows ${told.join()} and has ${open.join()}`);
  }
  for (const bookInfoId of titles) {
    const { totalStock, availableStock } = await getJson(
      `${url}/api/book-infos/${bookInfoId}`,
      admin,
    );
    const lent = [...storm.holdings.values()].filter((held) => held.has(bookInfoId)).length;
    if (Number(totalStock) - Number(availableStock) !== lent)
      found.push(
        `title ${bookInfoId}: ${lent} lent, stock ${String(availableStock)} of ${String(totalStock)}`,
      );
  }
  return found;
}

/**
 * Holds a system, once its queues have run empty, against the rules of invariants.ts and the
 * operator's audit; with a storm also against what its clients were told. Throws everything that is
 * broken.
 */
export async function audit(
  env: Readonly<Record<string, string>>,
  prepared?: PreparedStorm,
): Promise<void> {
  await nothingWaits(env);
  const broken = await brokenInvariants(env, prepared?.storm.calls ?? []);
  if (prepared) broken.push(...(await staleViews(env, prepared.storm.urls, prepared.titles)));
  if (broken.length > 0) throw new Error(broken.join('\n'));
  await run(
    {
      name: 'audit',
      command: process.execPath,
      args: [join(ROOT, 'dist', 'workers/ops/main.js'), 'audit'],
      env,
    },
    60_000,
  );
}
