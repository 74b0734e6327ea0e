import { serversOf } from '../database/servers';
import { schemeBehindSentinels } from './sentinel-url';

/** How long a Sentinel may take to connect or to answer, milliseconds. */
const ANSWER_MS = 1000;
const PORT = '26379';

/** What a Sentinel knows of the primary. */
interface Told {
  readonly url: string;
  readonly epoch: number;
}

async function makeClient(url: string) {
  const { createClient } = await import('redis');
  return createClient({
    url,
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    socket: { connectTimeout: ANSWER_MS, reconnectStrategy: false },
  });
}
type SentinelClient = Awaited<ReturnType<typeof makeClient>>;

const ignore = (): void => undefined;

/**
 * Redis at one address, or the primary that Sentinels tell. Of several answers the one with the
 * highest epoch counts, which is the newest.
 */
export class RedisAddress {
  /** Whether Sentinels tell the address, which may change. */
  readonly changes: boolean;
  private readonly sentinels: readonly Sentinel[];

  constructor(private readonly url: string) {
    this.changes = schemeBehindSentinels(url) !== null;
    this.sentinels = this.changes ? serversOf(url).map((server) => new Sentinel(server)) : [];
  }

  /**
   * The URL of the server to use.
   * @throws when no Sentinel knows it.
   */
  async find(): Promise<string> {
    if (!this.changes) return this.url;
    const answers = await Promise.allSettled(this.sentinels.map((sentinel) => sentinel.ask()));
    const told = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const [newest] = told.sort((one, other) => other.epoch - one.epoch);
    if (newest) return newest.url;
    const [failed] = answers;
    throw failed?.status === 'rejected' ? failed.reason : new Error('no Sentinel answers');
  }

  close(): void {
    for (const sentinel of this.sentinels) sentinel.close();
  }
}

/** One Sentinel, over a connection that is made again after a failure. */
class Sentinel {
  private readonly scheme: string;
  private readonly parsed: URL;
  private client: Promise<SentinelClient> | null = null;

  constructor(url: string) {
    this.scheme = schemeBehindSentinels(url) ?? 'redis';
    this.parsed = new URL(url);
  }

  async ask(): Promise<Told> {
    const { hostname, port } = this.parsed;
    const client = (this.client ??= this.connect(`${this.scheme}://${hostname}:${port || PORT}`));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(reject, ANSWER_MS, new Error(`no answer within ${ANSWER_MS} ms`));
    });
    try {
      return await Promise.race([client.then((open) => this.primary(open)), late]);
    } catch (error) {
      if (this.client === client) this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    const { client } = this;
    this.client = null;
    client?.then((open) => {
      if (open.isOpen) open.destroy();
    }, ignore);
  }

  private async connect(url: string): Promise<SentinelClient> {
    const client = (await makeClient(url)).on('error', ignore);
    await client.connect();
    return client;
  }

  private async primary(client: SentinelClient): Promise<Told> {
    const { username, password, pathname } = this.parsed;
    const [, name = '', database = ''] = pathname.split('/');
    const facts = factsOf(
      await client.sendCommand(['SENTINEL', 'MASTER', decodeURIComponent(name)]),
    );
    const user = password ? `${username}:${password}@` : '';
    return {
      url: `${this.scheme}://${user}${facts['ip'] ?? ''}:${facts['port'] ?? ''}/${database}`,
      epoch: Number(facts['config-epoch']),
    };
  }
}

/** A map, which RESP2 sends as a list of keys and values. */
function factsOf(answer: unknown): Readonly<Record<string, string | undefined>> {
  if (!Array.isArray(answer)) return answer as Record<string, string>;
  const list = answer as string[];
  return Object.fromEntries(
    list.flatMap((key, index) => (index % 2 === 0 ? [[key, list[index + 1] ?? '']] : [])),
  );
}
