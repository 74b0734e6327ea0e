import { setTimeout as sleep } from 'node:timers/promises';
import { serversOf } from '../database/servers';
import { askCluster } from './cluster-node';
import type { Ask } from './guide';
import { guidedBy, type Guided } from './guided-url';
import { makeRedisClient, type RedisClient } from './redis-client';
import { askSentinel } from './sentinel';

/**
 * How long a Sentinel or a node may take to connect or to answer, milliseconds. Once one has
 * answered, the others get as long.
 */
const ANSWER_MS = 1000;

interface Kind {
  readonly ask: Ask;
  readonly port: string;
  readonly signsIn: boolean;
}

interface Found {
  readonly url: string;
  readonly epoch: number;
}

const KINDS: Readonly<Record<Guided['guides'], Kind>> = {
  sentinel: { ask: askSentinel, port: '26379', signsIn: false },
  cluster: { ask: askCluster, port: '6379', signsIn: true },
};

const ignore = (): void => undefined;

/**
 * Redis at one address, or at the one that Sentinels or the nodes of a cluster tell. Of several
 * answers the one with the highest epoch counts, which is the newest.
 */
export class RedisAddress {
  /** Whether others tell the address, which may change. */
  readonly changes: boolean;
  private readonly guides: readonly Guide[];

  constructor(private readonly url: string) {
    const guided = guidedBy(url);
    this.changes = guided !== null;
    this.guides = guided ? serversOf(url).map((server) => new Guide(server, guided)) : [];
  }

  /**
   * The URL of the server to use.
   * @throws when nobody has told it within `limitMs` milliseconds.
   */
  async find(limitMs = ANSWER_MS): Promise<string> {
    if (!this.changes) return this.url;
    const told: Found[] = [];
    const asked = this.guides.map((guide) => guide.find(limitMs));
    for (const answer of asked) void answer.then((found) => told.push(found), ignore);
    const others = Promise.any(asked).then(() => sleep(ANSWER_MS, undefined, { ref: false }));
    await Promise.race([Promise.allSettled(asked), others.catch(ignore)]);
    const [newest] = told.sort((one, other) => other.epoch - one.epoch);
    if (newest) return newest.url;
    const [failed] = await Promise.allSettled(asked);
    throw failed?.status === 'rejected' ? failed.reason : new Error('nobody knows the address');
  }

  close(): void {
    for (const guide of this.guides) guide.close();
  }
}

/** A Sentinel or a node, over a connection that is made again after a failure. */
class Guide {
  private readonly scheme: string;
  private readonly kind: Kind;
  private readonly parsed: URL;
  private readonly user: string;
  private client: Promise<RedisClient> | null = null;

  constructor(url: string, { scheme, guides }: Guided) {
    this.scheme = scheme;
    this.kind = KINDS[guides];
    this.parsed = new URL(url);
    const { username, password } = this.parsed;
    this.user = password ? `${username}:${password}@` : '';
  }

  async find(limitMs: number): Promise<Found> {
    const client = (this.client ??= this.connect(limitMs));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(reject, limitMs, new Error(`no answer within ${limitMs} ms`));
    });
    try {
      const asked = client.then((open) => this.kind.ask(open, this.parsed));
      const { host, port, path, epoch } = await Promise.race([asked, late]);
      return { url: `${this.scheme}://${this.user}${host}:${port}${path}`, epoch };
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

  private async connect(limitMs: number): Promise<RedisClient> {
    const { hostname, port } = this.parsed;
    const user = this.kind.signsIn ? this.user : '';
    const url = `${this.scheme}://${user}${hostname}:${port || this.kind.port}`;
    const client = (await makeRedisClient(url, { connectTimeout: limitMs })).on('error', ignore);
    await client.connect();
    return client;
  }
}
