import { LATER } from '../../../clients/typescript/src/transport.ts';
import { SameTurn } from '../../../shared/same-turn';
import { create, expected, RUN } from './registration';
import type { Answer } from './service-answer';
import { COMMAND_WAIT_MS, type ServiceClient } from './service-client';

/**
 * Creates things that come in the same turn of the event loop with one request, because a request
 * costs more than what it creates. Nothing waits for more.
 */

/** Most items of one request: what the service takes. */
const ITEMS_MAX = 100;
/** How long the service waits for the end of a command when it is asked, seconds. */
const POLL_S = 20;

/** What an item came to, as a request for many answers it. */
interface ItemResult {
  readonly status: 'queued' | 'succeeded' | 'failed';
  readonly httpStatus: number | null;
  readonly result: Answer['body'] | null;
  readonly problem: Answer['body'] | null;
  readonly statusUrl: string | null;
}

export class Together {
  private readonly turn = new SameTurn<object, readonly Promise<Answer>[]>(ITEMS_MAX);

  /** `paths`: where one is created, and many are. */
  constructor(private readonly paths: { readonly one: string; readonly many: string }) {}

  /** Returns the answer that a request for it alone would have got. @throws OpsError */
  async create(client: ServiceClient, item: object): Promise<Answer> {
    const { result, place } = await this.turn.add(item, (items) => this.send(client, items));
    return result[place] as Promise<Answer>;
  }

  private async send(client: ServiceClient, items: readonly object[]): Promise<Promise<Answer>[]> {
    const alone = (item: object) => create(client, this.paths.one, item, RUN);
    if (items.length === 1) return items.map(alone);
    const { status, body } = await create(client, this.paths.many, { items }, RUN);
    // When one of them breaks a rule, all are refused.
    if (status !== 200) return items.map(alone);
    return (body['items'] as ItemResult[]).map(async (result, place) => {
      const answer = await ended(client, result);
      return LATER.includes(answer.status) ? alone(items[place] as object) : answer;
    });
  }
}

/** The answer of an item, once its command has ended. @throws Refused */
async function ended(client: ServiceClient, first: ItemResult): Promise<Answer> {
  const until = Date.now() + COMMAND_WAIT_MS;
  let item = first;
  while (item.status === 'queued' && Date.now() < until) {
    const path = `${String(first.statusUrl)}?wait=${POLL_S}`;
    item = expected(await client.call({ method: 'GET', path }), 200) as unknown as ItemResult;
  }
  return { status: item.httpStatus ?? 504, body: item.result ?? item.problem ?? {} };
}
