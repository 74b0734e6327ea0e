import autocannon from 'autocannon';
import { openLibrary } from '../support/books';
import { exportServers } from '../support/fresh';
import { newSecret, startEmbedded, startServers } from '../support/processes';
import { provideServers } from '../support/servers';
import { exportedSecret, targetAt } from '../support/target';
import { median } from './load';
import { ratioOf } from './rounds';
import { bareExpress } from './subjects';

/**
 * How many reads of one book's detail a second a single API process serves, with the detail in the cache, beside what bare Express
 * serves: in turn, on the same machine, from the same load generator, which shares its processors with them.
 */

const ROUNDS = 5;
const CLIENTS = 64;
/** Length of a round, and of one before them that is not counted, seconds. */
const ROUND_S = 6;
const WARM_S = 8;

async function served(url: string, seconds: number): Promise<number> {
  const { requests, non2xx, errors } = await autocannon({ url, connections: CLIENTS, duration: seconds });
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} answers were no 2xx, ${errors} requests failed`);
  return requests.total / seconds;
}

async function detailOf(name: 'embedded' | 'servers', url: string): Promise<string> {
  const library = await openLibrary(targetAt(name, [url]));
  const { status, body } = await library.manage('post', '/api/book-infos', { title: 'The Hunger Games', author: 'Suzanne Collins', isbn: '9780439023481', publicationDate: '2008-01-01', copies: 3 });
  if (status !== 201) throw new Error(`the book was not registered: ${JSON.stringify(body)}`);
  return `${url}/api/book-infos/${String(body.bookInfoId)}`;
}

export async function benchReads(): Promise<void> {
  exportServers(await provideServers());
  const env = { JWT_SECRET: exportedSecret(newSecret), LOG_LEVEL: 'warn', NODE_ENV: 'production' };
  const { apis } = await startServers({ apis: 1, workers: 1, env: { ...env, LOG_LEVEL: 'info' } });
  const subjects = {
    'bare Express': `${(await bareExpress()).url}/api/book-infos/1`,
    'Lendline, Redis': await detailOf('servers', apis[0]?.url ?? ''),
    'Lendline, embedded': await detailOf('embedded', (await startEmbedded({ env })).url),
  };
  const results = new Map<string, number[]>(Object.keys(subjects).map((name) => [name, []]));
  for (const url of Object.values(subjects)) await served(url, WARM_S);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, url] of Object.entries(subjects)) results.get(name)?.push(await served(url, ROUND_S));
  }
  const bare = results.get('bare Express') ?? [];
  const lines = [...results].map(([name, rates]) => {
    const ratio = ratioOf(rates, bare);
    return `| ${name} | ${median(rates).toFixed(0)} | ${ratio.median.toFixed(2)} | ${ratio.lowest.toFixed(2)} to ${ratio.highest.toFixed(2)} |`;
  });
  process.stdout.write([`| ${CLIENTS} clients, ${ROUNDS} rounds of ${ROUND_S} s | answers a second, median | of bare Express | spread |`, '|---|---|---|---|', ...lines, ''].join('\n'));
}
