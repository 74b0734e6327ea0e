import { exportServers } from '../support/fresh';
import { newSecret } from '../support/processes';
import { provideServers } from '../support/servers';
import { median, putLoad } from './load';
import { ratioOf } from './rounds';
import { bareExpress, lendline, lendlineEmbedded, type Subject } from './subjects';
import type { Work } from './work';

/**
 * How many reads of one book's detail a second a single API process serves, with the detail in the cache, beside what bare Express
 * serves: in turn, on the same machine, from the same load generator, which shares its processors with them.
 */

const ROUNDS = 5;
const CLIENTS = 64;
/** Length of a round, and of one before them that is not counted, seconds. */
const ROUND_S = 6;
const WARM_S = 8;

/** The same detail each time. */
const detail: Work = () => [[{ method: 'GET', path: '/api/book-infos/1' }]];

async function served({ name, url }: Subject, seconds: number): Promise<number> {
  const { rate, refused, lost } = await putLoad(url, { clients: CLIENTS, seconds }, detail, []);
  if (refused + lost > 0) throw new Error(`${name}: ${refused} requests were refused, ${lost} lost`);
  return rate;
}

export async function benchReads(): Promise<void> {
  exportServers(await provideServers());
  const secret = newSecret();
  const subjects = [await bareExpress(), await lendline(secret, { name: 'Lendline, Redis' }), await lendlineEmbedded(secret)];
  const results = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  for (const subject of subjects) await served(subject, WARM_S);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const subject of subjects) results.get(subject.name)?.push(await served(subject, ROUND_S));
  }
  const bare = results.get('bare Express') ?? [];
  const lines = [...results].map(([name, rates]) => {
    const ratio = ratioOf(rates, bare);
    return `| ${name} | ${median(rates).toFixed(0)} | ${ratio.median.toFixed(2)} | ${ratio.lowest.toFixed(2)} to ${ratio.highest.toFixed(2)} |`;
  });
  process.stdout.write([`| ${CLIENTS} clients, ${ROUNDS} rounds of ${ROUND_S} s | answers a second, median | of bare Express | spread |`, '|---|---|---|---|', ...lines, ''].join('\n'));
}
